/** The processes of a gateway that take requests from a relay: which of them are there, and which of them wait for requests. */

import type { Clock } from '../../core/clock.ts'
import { Timer } from '../../core/turns/timer.ts'
import { longestWaitMs } from '../wire/messages.ts'

/** A process that has not asked for this long is gone. It asks again as soon as it has an answer. */
const goneMs = longestWaitMs + 5_000
/** A process that asked this short a time ago is there, though it does not ask at this moment. */
const nearMs = 5_000

/**
 * A process. `heardAt`: when it last asked, on the monotonic clock. `wake` ends its waiting. `gone`: runs until the process counts as gone.
 */
export type PullerProcess = { readonly name: string; heardAt: number; wake: (() => void) | undefined; readonly gone: Timer }

export class PullerProcesses {
  readonly #clock: Clock
  readonly #left: (puller: PullerProcess) => void
  /** By name. The process that took requests last stands last. */
  readonly #pullers = new Map<string, PullerProcess>()
  #isClosed = false

  /** `left` is called with each process that disconnects or is gone. */
  constructor(clock: Clock, left: (puller: PullerProcess) => void) {
    this.#clock = clock
    this.#left = left
  }

  /** Whether a process asks for requests, or asked a moment ago. */
  get areNear(): boolean {
    const since = this.#clock.monotonic() - nearMs
    for (const { wake, heardAt } of this.#pullers.values()) if (wake !== undefined || heardAt > since) return true
    return false
  }

  get isEmpty(): boolean {
    return this.#pullers.size === 0
  }

  has(name: string): boolean {
    return this.#pullers.has(name)
  }

  /** Takes note that a process is there, and returns it. */
  heard(name: string): PullerProcess {
    const puller = this.#pullers.get(name) ?? { name, heardAt: 0, wake: undefined, gone: new Timer(this.#clock, () => this.leave(name)) }
    puller.heardAt = this.#clock.monotonic()
    if (!this.#isClosed) puller.gone.start(goneMs)
    this.#pullers.set(name, puller)
    return puller
  }

  /** Forgets a process. */
  leave(name: string): void {
    const puller = this.#pullers.get(name)
    if (!puller) return
    this.#pullers.delete(name)
    puller.gone.stop()
    this.#left(puller)
  }

  /** Resolves when the process is woken, has waited for 25 seconds, or nobody reads the answer any more (`gone`). */
  untilWoken(puller: PullerProcess, gone: AbortSignal): Promise<void> {
    // A process asks one question at a time, so it has given up its earlier question.
    puller.wake?.()
    return new Promise((resolve) => {
      const end = (): void => {
        cancel()
        gone.removeEventListener('abort', end)
        if (puller.wake === end) puller.wake = undefined
        puller.heardAt = this.#clock.monotonic()
        resolve()
      }
      const cancel = this.#clock.after(longestWaitMs, end)
      gone.addEventListener('abort', end)
      puller.wake = end
    })
  }

  /** Wakes the process that waits for longest, of those that may take something. */
  wakeOne(mayTake: (puller: PullerProcess) => boolean): void {
    for (const puller of this.#pullers.values()) {
      if (!puller.wake || !mayTake(puller)) continue
      // The process that was woken goes to the end of the map, so that the processes of a gateway take turns.
      this.#pullers.delete(puller.name)
      this.#pullers.set(puller.name, puller)
      puller.wake()
      return
    }
  }

  /** Ends all waits, for good. */
  close(): void {
    this.#isClosed = true
    for (const { wake, gone } of this.#pullers.values()) {
      gone.stop()
      wake?.()
    }
  }
}
