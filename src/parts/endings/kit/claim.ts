/** Makes claims: the hold on a delivery id that makes a second request with it a duplicate (rules: Duplicates 2). */

import { createHash } from 'node:crypto'
import type { Outcome } from '../../../core/outcome.ts'
import type { Event } from '../../../core/request.ts'
import type { Claim, Delivery, Destination } from '../../../store/ports.ts'

const holdMs = 3_600_000

/**
 * The claim of one event. Profile and route names have no `/` in them, so the first two parts are theirs
 * whatever text a sender chose as the id.
 */
export const claimOf = ({ profile, route, deliveryId }: Event): Claim => ({
  key: `${profile}/${route}/${deliveryId}`,
  holdMs,
})

/**
 * A direct delivery to several targets may reach some of them and fail at others; then its sender repeats it. Each target has a claim of
 * its own, which is kept once the target has the text, so that the repeat leaves it out. The keys begin with an empty profile name, which
 * no profile has: none of them is the claim of an event.
 */
export const compileShares = (written: Destination): ((claim: Claim) => readonly Claim[]) => {
  const marks = 'to' in written && written.mode === 'all' ? fingerprintsOf(written.to) : []
  return ({ key, holdMs }) => marks.map((mark) => ({ key: `/${mark}/${key}`, holdMs }))
}

/**
 * A target is known by what is written of it, not by its place in the list. A reload may change the list before the sender repeats: by
 * their places, a new target would be left out and an old one would get the text twice. Targets that are written alike are counted.
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

export const duplicate = ({ route, deliveryId }: Event): Outcome => ({ kind: 'duplicate', route, deliveryId })
