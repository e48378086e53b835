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

  /** A new process is the only owner: claims that an earlier one did not settle are free. */
  takeOver(now: number): void {
    this.#sql.releaseAllClaims.run()
    // The wall clock may have been set back since: no id may be held for longer than an hour from now.
    this.#sql.capClaims.run(now + hourMs, now + hourMs)
  }

  release(doubtful: readonly Unsettled[]): void {
    for (const { key, mark } of doubtful) this.#sql.releaseClaim.run(key, mark)
  }

  /** `mark` 0: the claim is kept from the start. */
  claim(key: string, holdMs: number, mark: number, now: number): boolean {
    this.#unpruned++
    return this.#sql.claim.run(key, now + holdMs, mark, now).changes === 1
  }

  isHeld(key: string, now: number): boolean {
    return this.#sql.isHeld.all(key, now).length > 0
  }

  /** Claims the ids of a JSON list of `[key, holdMs]`; the indexes of the rows that got theirs. Of two rows with one id the first gets it. */
  claimAll(claims: string, count: number, now: number): number[] {
    this.#unpruned += count
    return (this.#sql.acceptClaims.all(claims, now) as [number][]).map(([mark]) => -mark)
  }

  settle(key: string, kept: boolean): void {
    const statement = kept ? this.#sql.keepClaim : this.#sql.dropClaim
    statement.run(key)
  }

  /** Goes through the keys bit by bit, each time through twice as many claims as were made: so expired ones go without an index on their expiry. */
  prune(now: number): void {
    if (this.#unpruned < pruneEvery) return
    const [row] = this.#sql.pruneUpTo.all(this.#pruneFrom, 2 * this.#unpruned) as [string][]
    this.#unpruned = 0
    // '~' sorts after every key.
    this.#sql.pruneClaims.run(this.#pruneFrom, row?.[0] ?? '~', now)
    this.#pruneFrom = row?.[0] ?? ''
  }
}
