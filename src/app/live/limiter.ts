/** Fixed one-minute windows: one a route for verified requests, one a route and client for failed signatures. */

import type { Clock } from '../../core/clock.ts'
import type { Limiter } from '../../parts/effects.ts'

const windowMs = 60_000
/** Clients counted in one minute; those past it share one window, so that the table has a bound. */
const maxClients = 10_000

/** How many windows' worth of requests past a full one are looked at, in one minute of a route: what they leave is bounded by it. */
const laterShare = 10

type Window = { from: number; count: number; later: number }

/** A limiter of `perMinute` requests, on monotonic time: a clock that jumps opens or shuts nothing. */
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

  /** The failures of this minute, and the key of a client's own; one past the bound shares its count. */
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
      // A client whose signatures fail gets no share, so that a stranger's flood takes little of it.
      if (window.later >= laterShare * perMinute() || hasFailed(route, client)) return false
      window.later++
      return true
    },
    hasFailed,
  }
}
