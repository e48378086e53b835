/** Counts the refused requests since the start of the gateway, by the code of the refusal. Replays do not count. */

import type { Observer } from '../core/facts/facts.ts'
import type { Refused } from '../core/outcome.ts'
import type { RefusalCounts } from '../generated/control.ts'

type RefusalCounter = Observer & { counts(): RefusalCounts }

export const countRefusals = (): RefusalCounter => {
  // The codes are a closed list, so the map stays small.
  const counted = new Map<Refused['code'], number>()
  return {
    handlers: {
      request_ended({ replay, ended: { outcome } }) {
        if (!replay && outcome.kind === 'refused') counted.set(outcome.code, (counted.get(outcome.code) ?? 0) + 1)
      },
    },
    counts: () => Object.fromEntries(counted),
  }
}
