/**
 * The rate limits of one process, in fixed windows of one minute: verified requests are counted for each route, and failed signatures for
 * each pair of route and client.
 */

import type { Clock } from '../../core/clock.ts'
import type { Limiter } from '../../parts/effects.ts'

const windowMs = 60_000
/**
 * The most pairs of route and client whose failures are counted in a minute. Further pairs share one count, so that the table is bounded.
 */
const maxFailureCounts = 10_000

/**
 * A request that comes when the window of its route is full is refused first, and its signature is checked after the answer. In a minute, a
 * route gets this many times its limit of such late checks. The bound on late checks bounds the records that the late requests leave.
 */
const lateChecksPerLimit = 10

/** The window of a route. `from`: its start, on monotonic time. `count`: its verified requests. `later`: its late checks. */
type Window = { from: number; count: number; later: number }

/** Makes a limiter of `perMinute` requests. Its windows are on monotonic time, so that a jump of the system clock changes none of them. */
export const createLimiter = (clock: Clock, perMinute: () => number): Limiter => {
  const routes = new Map<string, Window>()
  const failures = createFailures(clock)

  const windowOf = (route: string): Window => {
    const now = clock.monotonic()
    const window = routes.get(route) ?? { from: now, count: 0, later: 0 }
    routes.set(route, window)
    if (now - window.from >= windowMs) {
      window.from = now
      window.count = 0
      window.later = 0
    }
    return window
  }

  return {
    wait(route) {
      const { from, count } = windowOf(route)
      return count < perMinute() ? 0 : Math.max(1, Math.ceil((from + windowMs - clock.monotonic()) / 1000))
    },
    charge(route) {
      const window = windowOf(route)
      if (window.count >= perMinute()) return false
      // The minute begins with its first request.
      if (window.count === 0) window.from = clock.monotonic()
      window.count++
      return true
    },
    chargeFailure: (route, client) => failures.add(route, client) < perMinute(),
    chargeLateCheck(route, client) {
      const window = windowOf(route)
      // A client with a failed signature in this minute gets no late check, so that a stranger's flood uses up few of the route's late
      // checks.
      if (window.later >= lateChecksPerLimit * perMinute() || failures.has(route, client)) return false
      window.later++
      return true
    },
    hasFailed: failures.has,
  }
}

/**
 * Counts the failed signatures of this minute, for each pair of route and client. The pairs past `maxFailureCounts` share the count under
 * an empty key.
 */
const createFailures = (clock: Clock) => {
  let counts = new Map<string, number>()
  let from = clock.monotonic()
  const keyOf = (route: string, client: string): string => {
    const now = clock.monotonic()
    if (now - from >= windowMs) {
      counts = new Map()
      from = now
    }
    const own = `${route}\n${client}`
    return counts.size < maxFailureCounts || counts.has(own) ? own : ''
  }
  return {
    has(route: string, client: () => string): boolean {
      if (counts.size === 0) return false
      const key = keyOf(route, client())
      return counts.has(key)
    },
    /** Counts a failure. Returns the number of failures before this failure. */
    add(route: string, client: string): number {
      const key = keyOf(route, client)
      const before = counts.get(key) ?? 0
      counts.set(key, before + 1)
      return before
    },
  }
}
