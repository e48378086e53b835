/**
 * Fixed windows of one minute: for each route a window of verified requests, and for each route and client a window of failed signatures.
 */

import type { Clock } from '../../../core/clock.ts'
import type { Limiter } from '../../../parts/effects.ts'

const windowMs = 60_000
/** The most clients that are counted in a minute. Further clients share one count, so that the table is bounded. */
const maxClients = 10_000

/**
 * In a minute of a route, at most this many times the limit of requests past the full window are checked after their answer. It bounds the
 * records of such requests.
 */
const lateChecksPerLimit = 10

type Window = { from: number; count: number; later: number }

/** Makes a limiter of `perMinute` requests, on monotonic time: a jump of the system clock opens or shuts nothing. */
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
      // A client whose signatures fail gets no share, so that a stranger's flood uses up little of it.
      if (window.later >= lateChecksPerLimit * perMinute() || failures.has(route, client)) return false
      window.later++
      return true
    },
    hasFailed: failures.has,
  }
}

/** Counts the failed signatures of this minute, for each route and client. A client past the bound shares a count with others. */
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
    return counts.size < maxClients || counts.has(own) ? own : ''
  }
  return {
    has(route: string, client: () => string): boolean {
      if (counts.size === 0) return false
      const key = keyOf(route, client())
      return counts.has(key)
    },
    /** Counts one more failure. Returns the number of those before. */
    add(route: string, client: string): number {
      const key = keyOf(route, client)
      const before = counts.get(key) ?? 0
      counts.set(key, before + 1)
      return before
    },
  }
}
