/**
 * Finds the claims that a move brought from the embedded store. For most of them, that store has only a fingerprint: the first 60 bits of
 * the key. Until the last moved claim has ended, the fingerprint of a key is looked for before the key is claimed. The search takes no
 * lock, because moved claims are never made or renewed.
 */

import type { Clock } from '../../../core/clock.ts'
import type { Claim } from '../../ports.ts'
import { heldKind } from '../calls/claim-calls.ts'
import type { DatabaseConnection } from '../connection.ts'
import { keyOf } from '../keys.ts'
import type { DatabaseLink } from '../link/database-link.ts'

/** The number of hexadecimal digits of a fingerprint. In the database, zeros follow these digits. */
const fingerprintDigits = 15

const fingerprintOf = (key: string): string => key.slice(0, fingerprintDigits).padEnd(key.length, '0')

const leftText = `select coalesce(extract(epoch from moved_claims - clock()) * 1000, 0)::float8 from meta`

/** Returns the time until the last moved claim with only a fingerprint ends, below 0 when it has ended; 0 where there are none. */
export const readMovedClaimsLeft = async (connection: DatabaseConnection): Promise<number> => {
  const [row] = await connection.query({ name: 'moved_claims', text: leftText }, [])
  return Number(row?.[0])
}

const hashedBy = (hash: (id: string) => string, { key, holdMs, beside }: Claim): Claim => ({
  key: hash(key),
  holdMs,
  ...(beside ? { beside: { ...beside, key: hash(beside.key) } } : {}),
})

export class MovedClaims {
  readonly #link: DatabaseLink
  readonly #clock: Clock
  readonly #until: number

  /** `leftMs`: the time until the last moved claim ends. */
  constructor(link: DatabaseLink, clock: Clock, leftMs: number) {
    this.#link = link
    this.#clock = clock
    this.#until = leftMs > 0 ? clock.monotonic() + leftMs : 0
  }

  /** Whether a moved claim with only a fingerprint may still hold a key. */
  get mayHold(): boolean {
    return this.#until > 0 && this.#clock.monotonic() <= this.#until
  }

  async holds(key: string): Promise<boolean> {
    const [held] = await this.held([key])
    return held === true
  }

  /**
   * Returns claims with their keys hashed. Where a moved claim with only a fingerprint holds a key, the key of that claim takes its place.
   * The result is a promise only where such a claim may be left, so that calls are sent in the order in which they come.
   */
  hashed(claims: readonly Claim[]): readonly Claim[] | Promise<readonly Claim[]> {
    if (!this.mayHold) return claims.map((claim) => hashedBy(keyOf, claim))
    const ids = claims.flatMap(({ key, beside }) => (beside ? [key, beside.key] : [key]))
    return this.held(ids.map(keyOf)).then((held) => {
      const moved = new Set(ids.filter((_, i) => held[i]))
      return claims.map((claim) => hashedBy((id) => (moved.has(id) ? fingerprintOf(keyOf(id)) : keyOf(id)), claim))
    })
  }

  /** Returns for each key whether a moved claim with its fingerprint holds it. */
  held(keys: readonly string[]): Promise<readonly boolean[]> {
    return this.#link.call(heldKind, keys.map(fingerprintOf))
  }
}
