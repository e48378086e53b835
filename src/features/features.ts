/**
 * The features, each declared in one row, and what floors above ask of all of them. Nothing of a feature but its declaration is loaded before
 * the configuration needs it.
 */

import type { Status } from '../generated/control.ts'
import { openAlerts } from './alerts/open-alerts.ts'
import { checkAlerts } from './alerts/rules.ts'
import { openBackup } from './backup/open-backup.ts'
import { openBreaker } from './breaker/open-breaker.ts'
import { checkCatchUp } from './catch-up/check-catch-up.ts'
import { openCatchUp } from './catch-up/open-catch-up.ts'
import type { Feature, FeatureKit, OpenedFeature } from './feature.ts'
import { openPauses } from './pauses/open-pauses.ts'
import { checkPolls } from './polls/check-polls.ts'
import { openPolls } from './polls/open-polls.ts'

const rows = {
  alerts: { open: openAlerts, checkSettings: checkAlerts },
  backup: { open: openBackup },
  breaker: { open: openBreaker },
  catchUp: { open: openCatchUp, examine: { name: 'catch-up', check: checkCatchUp } },
  pauses: { open: openPauses },
  polls: { open: openPolls, examine: { name: 'poll', check: checkPolls } },
} satisfies { readonly [name: string]: Feature }
const features: readonly Feature[] = Object.values(rows)

/** Finds mistakes in the settings of all features. `hasRoute`: absent where not all routes are known. */
export const checkFeatures: NonNullable<Feature['checkSettings']> = (...settings) =>
  features.flatMap(({ checkSettings }) => checkSettings?.(...settings) ?? [])

/** The checks of `doctor`. */
export const featureChecks = features.flatMap(({ examine }) => examine ?? [])

/** The features of a gateway, as one. */
export type OpenedFeatures = ReturnType<typeof openFeatures>

/** Prepares the features of a gateway. */
export const openFeatures = (kit: FeatureKit) => {
  const [pauses, polls] = [rows.pauses.open(kit), rows.polls.open(kit)]
  const [alerts, backup] = [rows.alerts.open(kit), rows.backup.open(kit)]
  const [breaker, catchUp] = [rows.breaker.open(kit), rows.catchUp.open(kit)]
  const all: readonly OpenedFeature[] = [alerts, backup, breaker, catchUp, pauses, polls]
  return {
    begin: () => Promise.all(all.map((each) => each.begin?.())),
    takeEntries() {
      for (const each of all) each.takeEntries?.()
    },
    stop: () => Promise.all(all.map((each) => each.stop?.())),
    operations: { ...alerts.operations, ...backup.operations, ...breaker.operations, ...catchUp.operations },
    status: (): Partial<Status> => Object.assign({}, ...all.map((each) => each.status?.())),
  } satisfies { readonly [name in keyof OpenedFeature]: unknown }
}
