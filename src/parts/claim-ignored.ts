/**
 * Claims the delivery ids of ignored events whose signature covers only parts of the body (rules: Duplicates 7). Otherwise a stranger could
 * send the captured signature again, with another body that the route does not ignore.
 */

import { StoreFault } from '../core/fault.ts'
import type { Refused } from '../core/outcome.ts'
import type { ClaimIgnored } from '../core/plan.ts'
import type { EventFacts } from '../core/request.ts'
import { claimOf } from './claim.ts'
import type { Effects } from './effects.ts'
import type { Scheme } from './schemes/scheme.ts'
import { unavailable } from './try-later.ts'

/**
 * Makes the function that claims the ignored events whose scheme signs only parts of the body. `undefined` where none of a route's schemes
 * does so.
 */
export const compileClaimIgnored = (schemes: readonly Scheme[], effects: Effects): ClaimIgnored | undefined => {
  const partly = new Set(schemes.filter(({ signsParts }) => signsParts).map(({ name }) => name))
  return partly.size === 0 ? undefined : (event, scheme) => (partly.has(scheme) ? claimEvent(event, effects) : undefined)
}

/**
 * Claims the delivery id of an event, and keeps the claim for its full time (`holdMs`). An id that is claimed already stays claimed.
 * Resolves to a refusal where the store failed.
 */
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
