/** Claims the ids of ignored events where a captured signature could serve another body (rules: Duplicates 7). */

import { StoreFault } from '../core/fault.ts'
import type { Refused } from '../core/outcome.ts'
import type { ClaimIgnored } from '../core/plan.ts'
import type { EventFacts } from '../core/request.ts'
import { claimOf } from './claim.ts'
import type { Effects } from './effects.ts'
import type { Scheme } from './schemes/scheme.ts'
import { unavailable } from './try-later.ts'

/** Returns the claiming function; `undefined` where every scheme signs the whole body. */
export const claimingIgnored = (schemes: readonly Scheme[], effects: Effects): ClaimIgnored | undefined => {
  const partly = new Set(schemes.filter(({ signsParts }) => signsParts).map(({ name }) => name))
  return partly.size === 0 ? undefined : (event, scheme) => (partly.has(scheme) ? claimEvent(event, effects) : undefined)
}

/** Claims the event's id. An id that is held already stays held. */
const claimEvent = async (event: EventFacts, { store }: Effects): Promise<Refused | undefined> => {
  const { key, holdMs } = claimOf(event)
  try {
    if ((await store.claim({ key, holdMs })) === 'claimed') await store.settle({ key, holdMs }, true)
    return undefined
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return unavailable(error)
  }
}
