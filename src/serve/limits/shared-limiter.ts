/** Counts the verified requests of routes over all gateways on a shared store. */

import type { Clock } from '../../core/clock.ts'
import { StoreFault } from '../../core/fault.ts'
import type { Limiter } from '../../parts/effects.ts'
import { type RateStore, SharedWindows } from './shared-windows.ts'

/** Resolves as `shared` does, or to the result of `local` where `shared` rejects with a StoreFault. */
export const orLocal = <T>(shared: T | Promise<T>, local: () => T | Promise<T>): T | Promise<T> =>
  shared instanceof Promise
    ? shared.catch((error) => {
        if (!(error instanceof StoreFault)) throw error
        return local()
      })
    : shared

type SharedLimiterOptions = {
  /** Counts the requests of this process alone: for a store of one gateway, and while a shared store does not answer. */
  readonly local: Limiter
  readonly clock: Clock
  readonly perMinute: () => number
  /** Returns the shared store; `undefined` for a store of one gateway. */
  readonly shared: () => RateStore | undefined
}

/**
 * Creates a limiter that asks the shared store for shares. `local` counts the failed signatures, and the checks of refused requests that
 * are made after their answer.
 */
export const createSharedLimiter = ({ local, clock, perMinute, shared }: SharedLimiterOptions): Limiter => {
  const windows = new SharedWindows(clock)
  return {
    ...local,
    wait(route) {
      const ms = shared() === undefined ? 0 : windows.fullMs(route)
      return ms > 0 ? Math.ceil(ms / 1000) : local.wait(route)
    },
    charge(route) {
      const store = shared()
      if (store === undefined) return local.charge(route)
      return orLocal(windows.charge(route, perMinute(), store), () => local.charge(route))
    },
  }
}
