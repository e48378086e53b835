/** Counts the posts that were refused since the start, by the code of the refusal. */

import type { Observer } from '../../core/fact.ts'
import type { Refused } from '../../core/outcome.ts'

/** Codes that no post was refused for are left out. */
export type Refusals = { readonly [code in Refused['code']]?: number }

type RefusalCounts = Observer & { counts(): Refusals }

export const countRefusals = (): RefusalCounts => {
  // The codes are a closed list, so it stays small.
  const counted = new Map<Refused['code'], number>()
  return {
    on(fact) {
      if (fact.kind !== 'request_ended' || fact.replay || fact.ended.outcome.kind !== 'refused') return
      const { code } = fact.ended.outcome
      counted.set(code, (counted.get(code) ?? 0) + 1)
    },
    counts: () => Object.fromEntries(counted),
  }
}
