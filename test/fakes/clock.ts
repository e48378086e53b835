/** A clock that stands still until a test advances it, and then fires the timers that are due, in their order. */

import { type Clock, systemClock } from '../../src/core/clock.ts'

export type FakeClock = Clock & { advance(ms: number): void }

/** `standStill` passes time as for a process that is stopped meanwhile. All timers that are due fire at the end of that time. */
export type StoppableClock = FakeClock & { standStill(ms: number): void }

type Timer = { readonly at: number; readonly then: () => void }

/** `now` and `monotonic` give the same time. A timer that another timer sets fires in the same advance when it is due in it. */
export const fakeClock = (start = 1_700_000_000_000): StoppableClock => {
  let time = start
  const timers = new Set<Timer>()

  const nextBy = (limit: number): Timer | undefined => {
    let next: Timer | undefined
    for (const timer of timers) {
      // The comparison is strict, so that of two timers with one time the one that was set first fires first: a Set keeps its order.
      if (timer.at <= limit && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

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
    advance(ms) {
      const end = time + ms
      for (let timer = nextBy(end); timer !== undefined; timer = nextBy(end)) {
        timers.delete(timer)
        time = Math.max(time, timer.at)
        timer.then()
      }
      time = end
    },
    standStill(ms) {
      time += ms
      this.advance(0)
    },
  }
}

/** Makes a clock as `fakeClock` does, but with real timers: no connection is closed because a test advances by a day. */
export const steppedClock = (start = 1_700_000_000_000): FakeClock => {
  let time = start
  return {
    now: () => time,
    monotonic: () => time,
    after: systemClock.after,
    advance(ms) {
      time += ms
    },
  }
}

/** Makes a clock that runs as another clock does, and shows a time that is `ms` later, as the clock of another machine may. */
export const aheadOf = (clock: Clock, ms: number): Clock => ({
  now: () => clock.now() + ms,
  monotonic: () => clock.monotonic() + ms,
  after: clock.after,
})
