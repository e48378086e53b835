/** Bounds the amount that may come within a span of time. */

import type { Clock } from '../clock.ts'

export class Allowance {
  readonly #clock: Clock
  readonly #most: number
  readonly #spanMs: number
  #taken = 0
  #since: number

  constructor(clock: Clock, most: number, spanMs: number) {
    this.#clock = clock
    this.#most = most
    this.#spanMs = spanMs
    this.#since = clock.monotonic()
  }

  /** Counts an amount that came. `false`: more than the allowance has come within the span. */
  take(amount: number): boolean {
    const now = this.#clock.monotonic()
    if (now - this.#since >= this.#spanMs) {
      this.#since = now
      this.#taken = 0
    }
    this.#taken += amount
    return this.#taken <= this.#most
  }
}
