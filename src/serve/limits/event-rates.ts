/** Counts events by key for `rate_limit` of a route: in this process, or over all gateways on a shared store. */

import type { Clock } from '../../core/clock.ts'
import { KeyedWindows, maxKeys } from '../../core/limits/keyed-windows.ts'
import type { EventRates } from '../../parts/effects.ts'
import { orLocal } from './shared-limiter.ts'
import { type RateStore, SharedWindows } from './shared-windows.ts'

/**
 * Makes the rate limit on the events of one route. `owner`: the name of the route, or a text without a slash that no route has. `shared`
 * returns the shared store; `undefined` for a store of one gateway. While a shared store does not answer, this process counts alone.
 */
export const createEventRates = (clock: Clock, owner: string, shared: () => RateStore | undefined = () => undefined): EventRates => {
  const [own, together] = [new KeyedWindows(), new SharedWindows(clock, { maxKeys, others: `rate/${owner}//others` })]
  return {
    charge(key, limit) {
      const local = (): number => own.charge(key, limit, clock.monotonic())
      const store = shared()
      if (store === undefined) return local()
      const waitMs = (isTaken: boolean): number => (isTaken ? 0 : Math.max(1, together.fullMs(key)))
      const isTaken = together.charge(key, limit, store)
      return isTaken instanceof Promise ? orLocal(isTaken.then(waitMs), local) : waitMs(isTaken)
    },
  }
}
