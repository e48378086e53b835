/** Opens the features of a gateway. Nothing of a feature but its declaration is loaded before the configuration needs it. */

import { openAlerts } from './alerts/open-alerts.ts'
import { openCatchUp } from './catch-up/open-catch-up.ts'
import type { FeatureKit, OpenedFeature } from './feature.ts'
import { openPolls } from './polls/open-polls.ts'

/** The features of a gateway, as one. */
export type OpenedFeatures = ReturnType<typeof openFeatures>

/** Prepares the features. */
export const openFeatures = (kit: FeatureKit) => {
  const [alerts, catchUp, polls] = [openAlerts(kit), openCatchUp(kit), openPolls(kit)]
  const all = [alerts, catchUp, polls]
  return {
    begin: () => Promise.all(all.map((each) => each.begin())),
    stop: () => Promise.all(all.map((each) => each.stop?.())),
    operations: { ...alerts.operations, ...catchUp.operations, ...polls.operations },
    status: () => ({ ...alerts.status(), ...catchUp.status(), ...polls.status() }),
  } satisfies { readonly [name in keyof OpenedFeature<never, never>]: unknown }
}
