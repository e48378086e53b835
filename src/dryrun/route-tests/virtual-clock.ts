/** A clock that stands still until a test moves it on, so that a window of five minutes passes at once. */

import type { Clock } from '../../core/clock.ts'

export type VirtualClock = Clock & {
  /** Moves on by `ms`. Each timer on the way is called at its time, and `settle` waits for the work that it starts. */
  advance(ms: number, settle: () => Promise<void>): Promise<void>
}

type Timer = { readonly at: number; readonly then: () => void }

/** Makes a clock that shows `start`, in milliseconds. `now` and `monotonic` return the same time. */
export const createVirtualClock = (start: number): VirtualClock => {
  let time = start
  const timers = new Set<Timer>()
  // The next timer up to the time `limit`. Of two timers with the same time, the timer that was set first comes first: a Set keeps its
  // order.
  const nextBy = (limit: number): Timer | undefined =>
    [...timers].reduce<Timer | undefined>((next, timer) => (timer.at <= limit && (!next || timer.at < next.at) ? timer : next), undefined)
  return {
    now: () => time,
    monotonic: () => time,
    after(ms, then) {
      const timer = { at: time + Math.max(0, ms), then }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    async advance(ms, settle) {
      const end = time + ms
      for (let timer = nextBy(end); timer; timer = nextBy(end)) {
        timers.delete(timer)
        time = Math.max(time, timer.at)
        timer.then()
        await settle()
      }
      time = end
    },
  }
}
