/** The claims of an open database. */

import type { Unsettled } from './messages.ts'
import type { Statements } from './statements.ts'

const hourMs = 3_600_000
/** How many claims are made between two searches for expired ones. */
const pruneEvery = 256

export class Claims {
  readonly #sql: Statements
  #pruneFrom = ''
  #unpruned = 0

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /** Frees the claims that an earlier process did not settle. This process is the only owner now. */
  takeOver(now: number): void {
    this.#sql.releaseAllClaims.run()
    // The wall clock may have been set back since, so no claim may last longer than an hour from now.
    this.#sql.capClaims.run(now + hourMs, now + hourMs)
  }

  release(doubtful: readonly Unsettled[]): void {
    for (const { key, mark } of doubtful) this.#sql.releaseClaim.run(key, mark)
  }

  /** `false`: the key is held already. `mark` 0: the claim need not be settled. */
  claim(key: string, holdMs: number, mark: number, now: number): boolean {
    this.#unpruned++
    return this.#sql.claim.run(key, now + holdMs, mark, now).changes === 1
  }

  isHeld(key: string, now: number): boolean {
    return this.#sql.isHeld.all(key, now).length > 0
  }

  /** Claims a JSON list of `[key, holdMs]`. Gives the indexes of the rows that got their claim; of two with one key, the first. */
  claimAll(claims: string, count: number, now: number): number[] {
    this.#unpruned += count
    return (this.#sql.acceptClaims.all(claims, now) as [number][]).map(([mark]) => -mark)
  }

  settle(key: string, kept: boolean): void {
    const statement = kept ? this.#sql.keepClaim : this.#sql.dropClaim
    statement.run(key)
  }

  /** Deletes expired claims. Each time it goes through twice as many keys as were claimed, so no index on the expiry is needed. */
  prune(now: number): void {
    if (this.#unpruned < pruneEvery) return
    const [row] = this.#sql.pruneUpTo.all(this.#pruneFrom, 2 * this.#unpruned) as [string][]
    this.#unpruned = 0
    // '~' sorts after every key.
    this.#sql.pruneClaims.run(this.#pruneFrom, row?.[0] ?? '~', now)
    this.#pruneFrom = row?.[0] ?? ''
  }
}
