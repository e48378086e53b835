/**
 * Knows when requests came, even where the machine's clock was wrong at that time. A request may wait at a relay for long; the gateway then
 * judges it by the time at which it came, and trusts the relay's clock for that.
 */

import type { Clock } from '../../core/clock.ts'

/** The least jump of the wall clock that counts. */
const leastStepMs = 1_000
const maxSteps = 100

export class Arrivals {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  /** The jumps of the wall clock since this process began. `upTo`: the number of the last request that came before the jump. */
  readonly #steps: { readonly upTo: number; readonly byMs: number }[] = []
  #newest = 0
  /** The wall clock less the monotonic one, at the last reading. */
  #ahead: number

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock
    this.#ahead = clock.now() - clock.monotonic()
  }

  /** Takes note of a request that is on the disk. */
  kept(id: number): void {
    this.#noteClockStep()
    this.#newest = Math.max(this.#newest, id)
  }

  /** Returns when a request came, by the clock as it is set now. `at`: the time that the clock showed when the request came. */
  timeOf(id: number, at: number): number {
    this.#noteClockStep()
    return this.#steps.reduce((time, { upTo, byMs }) => (id <= upTo ? time + byMs : time), at)
  }

  #noteClockStep(): void {
    const ahead = this.#clock.now() - this.#clock.monotonic()
    if (Math.abs(ahead - this.#ahead) < leastStepMs) return
    this.#steps.push({ upTo: this.#newest, byMs: ahead - this.#ahead })
    if (this.#steps.length > maxSteps) this.#steps.shift()
    this.#ahead = ahead
  }
}
