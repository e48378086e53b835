/** Shows the targets of a gateway that are down, and resets their breakers, which the deliveries of its runs keep. */

import type { OpenBreaker as BreakerView } from '../../generated/control.ts'
import type { OpenBreaker } from '../../runs/breaker/breakers.ts'
import type { FeatureKit, OpenedFeature } from '../feature.ts'

export const openBreaker = ({ breakers }: FeatureKit) =>
  ({
    operations: {
      breakers: async () => ({ breakers: breakers.list().map(breakerView) }),
      resetBreaker: async ({ target, address }) => ({ reset: [...breakers.reset(target, address)] }),
    },
    status: () => ({ targets_down: breakers.open }),
  }) satisfies OpenedFeature

const breakerView = ({ openedAt, retryAt, ...breaker }: OpenBreaker): BreakerView => ({
  ...breaker,
  opened_at: new Date(openedAt).toISOString(),
  retry_at: new Date(retryAt).toISOString(),
})
