/** Bounds an amount (of bytes, say) that may come within a span of time. */

import type { Clock } from '../clock.ts'

/** Counts in spans that follow each other: the first amount after the end of a span begins the next span at 0. */
export class Allowance {
  readonly #clock: Clock
  readonly #most: number
  readonly #spanMs: number
  /** The amount that came in the present span, and the time at which the span began. */
  #taken = 0
  #since: number

  /** `most`: the largest amount in a span of `spanMs` milliseconds. */
  constructor(clock: Clock, most: number, spanMs: number) {
    this.#clock = clock
    this.#most = most
    this.#spanMs = spanMs
    this.#since = clock.monotonic()
  }

  /** Counts an amount that came. Returns `false` where more than `most` has now come within the span. */
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
