/** Keeps the claims on delivery ids of the memory store, each until its time is over. */

import { StoreFault } from '../../core/fault.ts'
import type { Claim } from '../ports.ts'

type HeldClaim = { expiresAt: number; settled: boolean }

export class Claims {
  readonly #max: number
  readonly #unsettledMs: number
  /** The claims by key, in the order in which they were made or settled. Most claims also expire in about this order. */
  readonly #claims = new Map<string, HeldClaim>()

  /** `max`: the most claims. `unsettledMs`: how long an unsettled claim lasts at most. */
  constructor(max: number, unsettledMs: number) {
    this.#max = max
    this.#unsettledMs = unsettledMs
  }

  isHeld(key: string, now: number): boolean {
    return this.leftMs(key, now) > 0
  }

  /** Returns for how long a claim holds the key, in milliseconds; 0 where none does. */
  leftMs(key: string, now: number): number {
    return Math.max(0, (this.#claims.get(key)?.expiresAt ?? now) - now)
  }

  /**
   * Makes a claim, settled or not. `false`: the key is claimed already. Throws a StoreFault when the number of claims has reached its
   * bound, or when `work`, the number of runs and groups, has.
   */
  hold({ key, holdMs }: Claim, settled: boolean, work: number, now: number): boolean {
    this.#prune(now)
    if (this.isHeld(key, now)) return false
    this.#claims.delete(key)
    if (this.#claims.size >= this.#max) this.#sweep(now)
    // A claim that has not expired is never dropped to make room: a repeat by its sender would become a second run.
    if (Math.max(this.#claims.size, work) >= this.#max) throw new StoreFault('the memory store is full')
    this.#claims.set(key, { expiresAt: now + (settled ? holdMs : Math.min(holdMs, this.#unsettledMs)), settled })
    return true
  }

  /**
   * As `hold`, for a claim and the claim beside it. `undefined`: both were made. `repeated`: the one beside it is held, and only the other
   * was made, settled.
   */
  holdBoth(claim: Claim, settled: boolean, work: number, now: number): 'duplicate' | 'repeated' | undefined {
    const { beside } = claim
    if (beside && this.isHeld(beside.key, now)) return this.hold(claim, true, work, now) ? 'repeated' : 'duplicate'
    if (beside && !this.isHeld(claim.key, now) && !this.hasRoom(2, work, now)) throw new StoreFault('the memory store is full')
    if (!this.hold(claim, settled, work, now)) return 'duplicate'
    if (beside) this.hold(beside, settled, work, now)
    return undefined
  }

  /** Whether so many more claims can be made, beside `work`, the number of runs and groups. */
  hasRoom(more: number, work: number, now: number): boolean {
    if (this.#claims.size + more > this.#max) this.#sweep(now)
    return Math.max(this.#claims.size, work) + more <= this.#max
  }

  /** Whether the key is held by a claim that waits to be settled. */
  isUnsettled(key: string, now: number): boolean {
    return this.isHeld(key, now) && this.#claims.get(key)?.settled === false
  }

  settle({ key, holdMs }: Claim, kept: boolean, now: number): void {
    const held = this.#claims.get(key)
    if (held === undefined || held.settled || held.expiresAt <= now) return
    this.#claims.delete(key)
    if (kept) this.#claims.set(key, { expiresAt: held.expiresAt + Math.max(0, holdMs - this.#unsettledMs), settled: true })
  }

  /** Drops all expired claims, also those that `#prune` does not reach. */
  #sweep(now: number): void {
    for (const [key, held] of this.#claims) if (held.expiresAt <= now) this.#claims.delete(key)
  }

  /** Drops expired claims up to the first claim that has not expired. */
  #prune(now: number): void {
    for (const [key, held] of this.#claims) {
      if (held.expiresAt > now) return
      this.#claims.delete(key)
    }
  }
}
