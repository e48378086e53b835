/** Fixed one-minute windows: one a route for verified requests, one a route and client for failed signatures. */

import type { Clock } from '../../core/clock.ts'
import type { Limiter } from '../../parts/effects.ts'

const windowMs = 60_000
/** Clients counted in one minute; those past it share one window, so that the table has a bound. */
const maxClients = 10_000

type Window = { from: number; count: number }

/** A limiter of `perMinute` requests, on monotonic time: a clock that jumps opens or shuts nothing. */
export const createLimiter = (clock: Clock, perMinute: () => number): Limiter => {
  const routes = new Map<string, Window>()
  let failures = new Map<string, number>()
  let failuresFrom = clock.monotonic()

  const windowOf = (route: string): Window => {
    const now = clock.monotonic()
    const window = routes.get(route) ?? { from: now, count: 0 }
    routes.set(route, window)
    if (now - window.from >= windowMs) {
      window.from = now
      window.count = 0
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
    chargeFailure(route, client) {
      const now = clock.monotonic()
      if (now - failuresFrom >= windowMs) {
        failures = new Map()
        failuresFrom = now
      }
      const own = `${route}\n${client}`
      const key = failures.size < maxClients || failures.has(own) ? own : ''
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      return count <= perMinute()
    },
  }
}
