/** Counts by key in fixed windows of one minute. A window begins with the first count of its key. */

import { minuteMs } from '../clock.ts'

/** The most keys with a window. The keys past it share one window, so that a sender of many keys cannot fill the memory. */
export const maxKeys = 10_000
/** How long after a search for windows that are over no further search is made, in milliseconds. */
const sweepEveryMs = 1_000

/** `from`: the beginning of the window. `count`: its count. `until`: the end of the last window that has a count. */
type Window = { from: number; count: number; until: number }

/** The windows of the keys of one limit. All times are monotonic, in milliseconds. A limit is a count for each minute. */
export class KeyedWindows {
  readonly #windows = new Map<string, Window>()
  #sweptAt = Number.NEGATIVE_INFINITY

  /**
   * Counts one in the window of the key. Returns 0, or the time until the next window, where this window is full and nothing was counted.
   */
  charge(key: string, limit: number, now: number): number {
    const window = this.#windowOf(key, limit, now)
    return window.count < limit ? this.#count(window, limit, now) : window.from + minuteMs - now
  }

  /** Counts one in the first window of the key that has room, be it a later one. Returns the time until this window begins; 0 for now. */
  reserve(key: string, limit: number, now: number): number {
    return this.#count(this.#windowOf(key, limit, now), limit, now)
  }

  #count(window: Window, limit: number, now: number): number {
    const begins = window.from + Math.floor(window.count / limit) * minuteMs
    window.count++
    window.until = begins + minuteMs
    return Math.max(0, begins - now)
  }

  /** Returns the window of a key as it is now. What was reserved in later windows moves up as the time passes. */
  #windowOf(key: string, limit: number, now: number): Window {
    const own = this.#windows.get(key) ?? this.#open(key, now)
    // A time in the future is possible: a caller may have put its time back (paces.ts).
    const passed = Math.max(0, Math.floor((now - own.from) / minuteMs))
    own.count = Math.max(0, own.count - passed * limit)
    own.from = own.count === 0 ? now : own.from + passed * minuteMs
    return own
  }

  #open(key: string, now: number): Window {
    if (this.#windows.size >= maxKeys) this.#sweep(now)
    const name = this.#windows.size < maxKeys ? key : ''
    const window = this.#windows.get(name) ?? { from: now, count: 0, until: now }
    this.#windows.set(name, window)
    return window
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < sweepEveryMs) return
    this.#sweptAt = now
    for (const [key, { until }] of this.#windows) if (until <= now) this.#windows.delete(key)
  }
}
