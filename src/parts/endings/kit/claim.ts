/** The hold on a delivery id that makes a second request with it a duplicate (rules: Duplicates 2). */

import { createHash } from 'node:crypto'
import type { Outcome } from '../../../core/outcome.ts'
import type { Event } from '../../../core/request.ts'
import type { Claim, Delivery, Destination } from '../../../store/ports.ts'

const keptMs = 3_600_000

/**
 * The claim of one event. Profile and route names have no `/` in them, so the first two parts are theirs
 * whatever text a sender chose as the id.
 */
export const claimOf = ({ profile, route, deliveryId }: Event, now: number): Claim => ({
  key: `${profile}/${route}/${deliveryId}`,
  expiresAt: now + keptMs,
})

/**
 * One hold for each of the targets that must all have a text: kept when one had it and another failed, so that the sender's repeat
 * leaves it out. No profile has an empty name: they are nobody's delivery ids.
 */
export const compileShares = (written: Destination): ((claim: Claim) => readonly Claim[]) => {
  const marks = 'to' in written && written.mode === 'all' ? fingerprintsOf(written.to) : []
  return ({ key, expiresAt }) => marks.map((mark) => ({ key: `/${mark}/${key}`, expiresAt }))
}

/** Each as it is written, not where it stands: a list that a reload changed must neither leave out a new one nor repeat an old one. */
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
