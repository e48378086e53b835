/** A clock that stands still until it is advanced, and then fires what became due in the order of its time. */

import type { Clock } from '../../src/core/clock.ts'

export type FakeClock = Clock & { advance(ms: number): void }

type Timer = { readonly at: number; readonly then: () => void }

/** `now` and `monotonic` read the same; timers set by a fired timer fire too when they fall inside the advance. */
export const fakeClock = (start = 1_700_000_000_000): FakeClock => {
  let time = start
  const timers = new Set<Timer>()

  const nextBy = (limit: number): Timer | undefined => {
    let next: Timer | undefined
    for (const timer of timers) {
      // Strictly earlier: of two with one time, the first that was set (a Set keeps its order) fires first.
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
  }
}

/** A clock that runs as another does, and reads this much more: another machine's. */
export const aheadOf = (clock: Clock, ms: number): Clock => ({
  now: () => clock.now() + ms,
  monotonic: () => clock.monotonic() + ms,
  after: clock.after,
})
