/**
 * Makes the claims of events, and of the single targets of a direct delivery. While the delivery id of an event is claimed, no second
 * request of the same route with this id is accepted (rules: Duplicates 1, 2).
 */

import { createHash } from 'node:crypto'
import { hourMs, minuteMs } from '../core/clock.ts'
import type { Delivery, Destination } from '../core/new-run.ts'
import type { Outcome } from '../core/outcome.ts'
import type { BesideClaim, EventFacts } from '../core/request.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import type { Claim, Ending } from '../store/ports.ts'

type Identity = Pick<EventFacts, 'profile' | 'route' | 'deliveryId' | 'itemBy'>
type Claiming = Identity & Pick<EventFacts, 'claimMs' | 'besideClaim' | 'ending'>

/** The claim of an event, with what the event says of the claim beside it, and of the work that it ends. */
export type EventClaim = Claim & { readonly beside?: BesideClaim; readonly ending?: Ending }

/**
 * Returns for how long the delivery ids of a route are kept, in milliseconds: `duplicates.hours`, and with `catch_up` at least an hour more
 * than a catch-up looks back, so that no event that is here is asked for again.
 */
export const holdMsOf = ({ duplicates, catch_up: catchUp }: Pick<Route, 'duplicates' | 'catch_up'>): number => {
  const hours = duplicates?.hours ?? defaults.duplicates.hours
  return hourMs * (catchUp ? Math.max(hours, (catchUp.hours ?? defaults.catch_up.hours) + 1) : hours)
}

/**
 * Returns the claim of one event, which is kept for at least `holdMs` milliseconds (`holdMsOf`). The sender chooses the delivery id, and the id may
 * contain `/`. The names of profiles and routes contain no `/`, so the key of one route is never the key of another. They contain no `#`
 * either, so an item of a request never has the key of a request, whatever values name it.
 */
export const claimOf = (
  { profile, route, deliveryId, itemBy, claimMs = 0, besideClaim: beside, ending }: Claiming,
  holdMs: number,
): EventClaim => {
  const key = itemBy === undefined ? `${profile}/${route}/${deliveryId}` : `${profile}#${itemBy}/${route}/${deliveryId}`
  const claim = { key, holdMs: Math.max(claimMs, holdMs) }
  if (!beside && !ending) return claim
  return { ...claim, ...(beside ? { beside } : {}), ...(ending ? { ending } : {}) }
}

/**
 * Compiles the claims of the single targets of a direct delivery (`deliver_only`) that must reach all of several targets. Such a delivery
 * may reach some of its targets and fail at others, and then the sender repeats the event. So each target has a claim of its own, the
 * target claim. A target claim is kept once its target has the text, and the repeat leaves that target out. The compiled function takes the
 * claim of an event, and returns the target claims in the order of the targets; none for any other destination. The key of a target claim
 * begins with an empty profile name. No profile has an empty name, so no target claim is the claim of an event.
 */
export const compileTargetClaims = (destination: Destination): ((claim: Claim) => readonly Claim[]) => {
  const fingerprints = 'to' in destination && destination.mode === 'all' ? targetFingerprints(destination.to) : []
  return ({ key, holdMs }) => fingerprints.map((fingerprint) => ({ key: `/${fingerprint}/${key}`, holdMs }))
}

/**
 * Returns for each target the text that stands for the target in the key of its target claim: a hash of its configuration, and a number
 * that tells targets with the same configuration apart. A reload may change the list of targets before the sender repeats the event. If the
 * key named a target by its place in the list, a new target could be left out, and an old target could get the text twice.
 */
const targetFingerprints = (to: readonly Delivery[]): readonly string[] => {
  const equal = new Map<string, number>()
  return to.map(({ target, extra }) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([target, extra]))
      .digest('base64url')
    const nth = equal.get(hash) ?? 0
    equal.set(hash, nth + 1)
    return `${nth}/${hash}`
  })
}

/** Returns the outcome of an event that was held back by the claim of its delivery id, or by the one beside it (`repeated`). */
export const heldBack = ({ route, deliveryId }: Identity, held: 'duplicate' | 'repeated', { beside }: EventClaim): Outcome => {
  if (held === 'duplicate') return { kind: 'duplicate', route, deliveryId }
  if (beside?.of !== 'cooldown') return { kind: 'duplicate', route, deliveryId, by: 'key' }
  const minutes = beside.holdMs / minuteMs
  return { kind: 'ignored', reason: 'cooldown', route, detail: () => `cooldown: less than ${minutes} minutes after the first event` }
}
