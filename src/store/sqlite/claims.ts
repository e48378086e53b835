/**
 * The claims of an open database. Claims of accepted runs without a lane, and claims that a move brought, are looked up in memory; on disk,
 * a row of the table `held` has all claims of one commit that end at the same time. All other claims, and claims that do not fit into
 * memory, have a row each in the table `claims`.
 */

import { hourMs } from '../../core/clock.ts'
import type { Claim } from '../ports.ts'
import { fingerprintLength, RecentClaims } from './recent-claims.ts'
import type { Statements } from './statements.ts'

/** A claim that waits to be settled. `mark`: the number of the call that made it. */
export type Unsettled = { readonly key: string; readonly mark: number }

/**
 * The mark of a claim that need not be settled and lasts for more than an hour: of an event whose route says so (`duplicates.hours`), or of
 * the start of a job (schedule/start-job.ts). `takeOver` does not shorten these claims, so that a restart forgets none of them.
 */
export const lasting = -1

/** Returns the mark of a claim that need not be settled and lasts for `holdMs`. */
const keptMark = (holdMs: number): number => (holdMs > hourMs ? lasting : 0)

/** The number of new claims between two searches for expired claims. */
const pruneEvery = 256

export class Claims {
  readonly #sql: Statements
  readonly #recent = new RecentClaims()
  /** The claims of this batch that are not stored yet: the joined fingerprints of their keys, by the time at which these claims end. */
  readonly #fresh = new Map<number, string>()
  /** Whether the table `claims` may have a row. */
  #hasRows = true
  /** The key after which the next search for expired claims begins. */
  #pruneFrom: Buffer = Buffer.of()
  #unpruned = 0

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /**
   * Called at the start of a process: frees the claims that an earlier process did not settle, because no other process has the database
   * open.
   */
  takeOver(now: number): void {
    this.#sql.releaseAllClaims.run()
    // The wall clock may have been set back since the claims were made. So every claim but a lasting one is cut to an hour from now, the
    // longest time that it was made for.
    this.#sql.capClaims.run([now + hourMs, now + hourMs])
    this.#sql.capHeld.run([now + hourMs, now + hourMs])
  }

  /** Called after a failed batch: frees the claims that it may have made and that wait to be settled. */
  release(doubtful: readonly Unsettled[]): void {
    for (const { key, mark } of doubtful) this.#sql.releaseClaim.run([key, mark])
  }

  /** Reads the claims of the table `held` into memory. */
  restore(now: number): void {
    for (const [until, keys] of this.#sql.held.iterate([now]) as Iterable<[number, Buffer]>) {
      const text = keys.toString('latin1')
      for (let at = 0; at + fingerprintLength <= text.length; at += fingerprintLength) {
        this.#recent.claim(text.slice(at, at + fingerprintLength), until, now)
      }
    }
  }

  /** Makes a claim. `false`: the key is held already. `mark` 0: the claim need not be settled. */
  claim(key: string, holdMs: number, mark: number, now: number): boolean {
    if (this.#recent.holds(key, now)) return false
    this.#unpruned++
    this.#hasRows = true
    return this.#sql.claim.run([key, now + holdMs, mark === 0 ? keptMark(holdMs) : mark, now]).changes === 1
  }

  /**
   * Makes a claim and the claim beside it, whose keys are hashed. `undefined`: both were made. `repeated`: the one beside it is held, and only the other was made,
   * which need not be settled.
   */
  claimBoth({ key, holdMs, beside }: Claim, mark: number, now: number): 'duplicate' | 'repeated' | undefined {
    if (beside && this.isHeld(beside.key, now)) return this.claim(key, holdMs, 0, now) ? 'repeated' : 'duplicate'
    if (!this.claim(key, holdMs, mark, now)) return 'duplicate'
    if (beside) this.claim(beside.key, beside.holdMs, mark, now)
    return undefined
  }

  /**
   * Makes the claim of an accepted run without a lane, in memory. `store` writes it to the database. A claim that does not fit into memory,
   * or lasts for more than an hour, gets its row in the table `claims` now: the memory is for claims that end soon. The claim need not be
   * settled. `false`: the key is held.
   */
  claimRun(key: string, holdMs: number, now: number): boolean {
    if (holdMs > hourMs) return this.claim(key, holdMs, 0, now)
    if (this.#hasRows && this.#sql.isHeld.all([key, now]).length > 0) return false
    const until = now + holdMs
    const got = this.#recent.claim(key, until, now)
    if (got === 'full') return this.claim(key, holdMs, 0, now)
    if (got === 'held') return false
    this.#unpruned++
    this.#fresh.set(until, (this.#fresh.get(until) ?? '') + key.slice(0, fingerprintLength))
    return true
  }

  /** Stores the claims of `claimRun`. Called at the end of each batch. */
  store(): void {
    for (const [until, keys] of this.#fresh) this.#sql.hold.run([until, keys])
    this.#fresh.clear()
  }

  isHeld(key: string, now: number): boolean {
    return this.leftMs(key, now) > 0
  }

  /** Returns for how long a claim holds the key, in milliseconds; 0 where none does. */
  leftMs(key: string, now: number): number {
    const recent = this.#recent.endOf(key)
    if (recent > now) return recent - now
    const [row] = this.#sql.isHeld.all([key, now]) as [until: number][]
    return row ? row[0] - now : 0
  }

  isUnsettled(key: string, now: number): boolean {
    return this.#sql.isUnsettled.all([key, now]).length > 0
  }

  settle(key: string, holdMs: number, kept: boolean): void {
    if (kept) this.#sql.keepClaim.run([keptMark(holdMs), key])
    else this.#sql.dropClaim.run([key])
  }

  /**
   * Deletes expired claims, once enough new claims were made. Each search goes through twice as many rows as claims were made since the
   * last search, so all rows are searched in time, and no index by expiry is needed.
   */
  prune(now: number): void {
    if (this.#unpruned < pruneEvery) return
    this.#sql.pruneHeld.run([2 * this.#unpruned, now])
    const [row] = this.#sql.pruneUpTo.all([this.#pruneFrom, 2 * this.#unpruned]) as [Buffer][]
    this.#unpruned = 0
    this.#sql.pruneClaims.run([this.#pruneFrom, row?.[0] ?? null, now])
    this.#pruneFrom = row?.[0] ?? Buffer.of()
    this.#hasRows = this.#sql.anyClaim.all().length > 0
  }
}
