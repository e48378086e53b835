/** Makes claims: while a delivery id is claimed, a second request with the same id is a duplicate (rules: Duplicates 2). */

import { createHash } from 'node:crypto'
import type { Outcome } from '../core/outcome.ts'
import type { EventFacts } from '../core/request.ts'
import type { Claim, Delivery, Destination } from '../store/ports.ts'

const holdMs = 3_600_000

/** An event, or the run that it became. */
type Identity = Pick<EventFacts, 'profile' | 'route' | 'deliveryId'>

/**
 * The claim of one event. The sender chooses the delivery id, and the id may contain `/`. The names of profiles and routes contain none,
 * so the key of one route is never the key of another.
 */
export const claimOf = ({ profile, route, deliveryId }: Identity): Claim => ({
  key: `${profile}/${route}/${deliveryId}`,
  holdMs,
})

/**
 * A direct delivery may reach some of its targets and fail at others, and then the sender repeats the event. So each target has a claim
 * of its own (its share). The share is kept once the target has the text, and the repeat leaves that target out. The key of a share begins
 * with an empty profile name. No profile has an empty name, so no share is the claim of an event.
 */
export const compileShares = (written: Destination): ((claim: Claim) => readonly Claim[]) => {
  const marks = 'to' in written && written.mode === 'all' ? fingerprintsOf(written.to) : []
  return ({ key, holdMs }) => marks.map((mark) => ({ key: `/${mark}/${key}`, holdMs }))
}

/**
 * A reload may change the list of targets before the sender repeats the event. If a share named a target by its place in the list, a new
 * target could be left out, and an old target could get the text twice. So a share names a target by a hash of its configuration. Targets
 * with the same configuration are numbered.
 */
const fingerprintsOf = (to: readonly Delivery[]): readonly string[] => {
  const equal = new Map<string, number>()
  return to.map(({ target, extra }) => {
    const mark = createHash('sha256')
      .update(JSON.stringify([target, extra]))
      .digest('base64url')
    const nth = equal.get(mark) ?? 0
    equal.set(mark, nth + 1)
    return `${nth}/${mark}`
  })
}

export const duplicate = ({ route, deliveryId }: Identity): Outcome => ({ kind: 'duplicate', route, deliveryId })
