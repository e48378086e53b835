/** The ids of an open database: who holds one, until when; expired ones make room. */

import type { Unsettled } from './messages.ts'
import type { Statements } from './statements.ts'

const hourMs = 3_600_000
/** How many claims are made between two looks for expired ones. */
const pruneEvery = 256

export class Claims {
  readonly #sql: Statements
  #pruneFrom = ''
  #unpruned = 0

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /** A new process is the only owner: what an earlier one had not settled is free. */
  takeOver(now: number): void {
    this.#sql.releaseAllClaims.run()
    // A wall clock that was set back must not hold an id for longer than it could have been held.
    this.#sql.capClaims.run(now + hourMs, now + hourMs)
  }

  release(doubtful: readonly Unsettled[]): void {
    for (const { key, mark } of doubtful) this.#sql.releaseClaim.run(key, mark)
  }

  /** `mark` 0: it is kept. */
  claim(key: string, expiresAt: number, mark: number, now: number): boolean {
    this.#unpruned++
    return this.#sql.claim.run(key, expiresAt, mark, now).changes === 1
  }

  isHeld(key: string, now: number): boolean {
    return this.#sql.isHeld.all(key, now).length > 0
  }

  /** Of a JSON list of `[key, expiresAt]`, the indexes of those that got theirs. Of two rows with one id the first does. */
  claimAll(claims: string, count: number, now: number): number[] {
    this.#unpruned += count
    return (this.#sql.acceptClaims.all(claims, now) as [number][]).map(([mark]) => -mark)
  }

  settle(key: string, kept: boolean): void {
    const statement = kept ? this.#sql.keepClaim : this.#sql.dropClaim
    statement.run(key)
  }

  /** Walks on past twice as many claims as were made: the file stays bounded without an index on their expiry. */
  prune(now: number): void {
    if (this.#unpruned < pruneEvery) return
    const [row] = this.#sql.pruneUpTo.all(this.#pruneFrom, 2 * this.#unpruned) as [string][]
    this.#unpruned = 0
    // '~' sorts after every key.
    this.#sql.pruneClaims.run(this.#pruneFrom, row?.[0] ?? '~', now)
    this.#pruneFrom = row?.[0] ?? ''
  }
}
