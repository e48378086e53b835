/**
 * Fixed windows of one minute: for each route a window of verified requests, and for each route and client a window of failed signatures.
 */

import type { Clock } from '../../core/clock.ts'
import type { Limiter } from '../../parts/effects.ts'

const windowMs = 60_000
/** The most clients that are counted in a minute. Further clients share one count, so that the table is bounded. */
const maxClients = 10_000

/**
 * The requests past a full window that are checked later, in a minute of a route: at most this many times the limit. It bounds the records
 * of such requests.
 */
const laterShare = 10

type Window = { from: number; count: number; later: number }

/** Makes a limiter of `perMinute` requests, on monotonic time: a jump of the system clock opens or shuts nothing. */
export const createLimiter = (clock: Clock, perMinute: () => number): Limiter => {
  const routes = new Map<string, Window>()
  let failures = new Map<string, number>()
  let failuresFrom = clock.monotonic()

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

  /** Returns the failures of this minute, and the key of the client's count. A client past the bound shares a count. */
  const failuresOf = (route: string, client: string): { readonly key: string; readonly count: number } => {
    const now = clock.monotonic()
    if (now - failuresFrom >= windowMs) {
      failures = new Map()
      failuresFrom = now
    }
    const own = `${route}\n${client}`
    const key = failures.size < maxClients || failures.has(own) ? own : ''
    return { key, count: failures.get(key) ?? 0 }
  }

  const hasFailed = (route: string, client: () => string): boolean => failures.size > 0 && failuresOf(route, client()).count > 0

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
    chargeFailure(route, client) {
      const { key, count } = failuresOf(route, client)
      failures.set(key, count + 1)
      return count < perMinute()
    },
    looksLater(route, client) {
      const window = windowOf(route)
      // A client whose signatures fail gets no share, so that a stranger's flood uses up little of it.
      if (window.later >= laterShare * perMinute() || hasFailed(route, client)) return false
      window.later++
      return true
    },
    hasFailed,
  }
}
