/** The ids that are held, in memory. */

import { StoreFault } from '../../core/fault.ts'
import type { Claim } from '../ports.ts'

type Held = { expiresAt: number; settled: boolean }

export class Claims {
  readonly #max: number
  /** In the order of their coming, which is that of expiry for all but those of jobs. */
  readonly #claims = new Map<string, Held>()

  constructor(max: number) {
    this.#max = max
  }

  isHeld(key: string, now: number): boolean {
    const held = this.#claims.get(key)
    return held !== undefined && held.expiresAt > now
  }

  /** `work`: how much is kept besides; when either is at the cap it throws StoreFault. */
  hold({ key, holdMs }: Claim, settled: boolean, work: number, now: number): boolean {
    this.#prune(now)
    if (this.isHeld(key, now)) return false
    this.#claims.delete(key)
    if (this.#claims.size >= this.#max) this.#sweep(now)
    // A claim that still holds is never given up for room: its sender's retry would be worked on twice.
    if (Math.max(this.#claims.size, work) >= this.#max) throw new StoreFault('the memory store is full')
    this.#claims.set(key, { expiresAt: now + holdMs, settled })
    return true
  }

  settle(key: string, kept: boolean): void {
    const held = this.#claims.get(key)
    if (held === undefined || held.settled) return
    if (kept) held.settled = true
    else this.#claims.delete(key)
  }

  /** Looks at all claims: those of jobs hold for longer, so the order of coming is not that of expiry. */
  #sweep(now: number): void {
    for (const [key, held] of this.#claims) if (held.expiresAt <= now) this.#claims.delete(key)
  }

  #prune(now: number): void {
    for (const [key, held] of this.#claims) {
      if (held.expiresAt > now) return
      this.#claims.delete(key)
    }
  }
}
