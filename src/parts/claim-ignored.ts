/**
 * Claims the delivery ids of ignored events whose signature covers only parts of the body (rules: Duplicates 7). Otherwise a stranger could
 * send the captured signature again, with another body that the route does not ignore.
 */

import { StoreFault } from '../core/fault.ts'
import { type Refused, unavailable } from '../core/outcome.ts'
import type { ClaimIgnored } from '../core/plan.ts'
import type { Claim } from '../store/ports.ts'
import { claimOf } from './claim.ts'
import type { Effects } from './effects.ts'
import type { Scheme } from './schemes/scheme.ts'

/**
 * Makes the function that claims the ignored events whose scheme signs only parts of the body. `undefined` where none of a route's schemes
 * does so. `holdMs`: how long the ids of the route are kept.
 */
export const compileClaimIgnored = (schemes: readonly Scheme[], holdMs: number, effects: Effects): ClaimIgnored | undefined => {
  const partly = new Set(schemes.filter(({ signsParts }) => signsParts).map(({ name }) => name))
  return partly.size === 0
    ? undefined
    : (event, scheme) => (partly.has(scheme) ? claimEvent(claimOf({ ...event, besideClaim: undefined }, holdMs), effects) : undefined)
}

/**
 * Makes the claim of an event, and keeps it for its full time (`holdMs`). An id that is claimed already stays claimed.
 * Resolves to a refusal where the store failed.
 */
const claimEvent = async (claim: Claim, { store }: Effects): Promise<Refused | undefined> => {
  try {
    if ((await store.claim(claim)) === 'claimed') await store.settle(claim, true)
    return undefined
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return unavailable(error)
  }
}
