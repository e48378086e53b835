/** Opens the features of a gateway. Nothing of a feature but its declaration is loaded before the configuration needs it. */

import type { Status } from '../generated/control.ts'
import { openAlerts } from './alerts/open-alerts.ts'
import { openBackup } from './backup/open-backup.ts'
import { openBreaker } from './breaker/open-breaker.ts'
import { openCatchUp } from './catch-up/open-catch-up.ts'
import type { FeatureKit, OpenedFeature } from './feature.ts'
import { openPauses } from './pauses/open-pauses.ts'
import { openPolls } from './polls/open-polls.ts'

/** The features of a gateway, as one. */
export type OpenedFeatures = ReturnType<typeof openFeatures>

/** Prepares the features. */
export const openFeatures = (kit: FeatureKit) => {
  const [alerts, backup, breaker, catchUp] = [openAlerts(kit), openBackup(kit), openBreaker(kit), openCatchUp(kit)]
  const all: readonly OpenedFeature[] = [openPauses(kit), alerts, backup, breaker, catchUp, openPolls(kit)]
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
