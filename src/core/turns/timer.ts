/** A timer that is started again and again. It waits for one time at most: a new start replaces the time of the last. */

import type { Clock } from '../clock.ts'

export class Timer {
  readonly #clock: Pick<Clock, 'after'>
  readonly #onTime: () => void
  #cancel: (() => void) | undefined

  /** `then` is called each time that the timer is over. */
  constructor(clock: Pick<Clock, 'after'>, then: () => void) {
    this.#clock = clock
    this.#onTime = () => {
      this.#cancel = undefined
      then()
    }
  }

  get isRunning(): boolean {
    return this.#cancel !== undefined
  }

  /** Starts the timer, in place of any time that it has. */
  start(ms: number): void {
    this.stop()
    this.#cancel = this.#clock.after(ms, this.#onTime)
  }

  /** Starts the timer where it is not running. */
  startUnlessRunning(ms: number): void {
    this.#cancel ??= this.#clock.after(ms, this.#onTime)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
