/** Checks `callback` of a route, with the checks of the target that posts it, and makes its delivery. */

import type { Report } from '../../core/diagnostic.ts'
import type { Delivery } from '../../core/new-run.ts'
import type { Route } from '../../generated/config.ts'
import { deliveriesOf, readDelivery } from '../destination.ts'
import type { TargetPart } from '../targets/target.ts'

/** Returns the settings with which `deliver` would post to the address of a `callback`. */
export const callbackAsDeliver = (callback: NonNullable<Route['callback']>): Pick<Route, 'deliver' | 'deliver_extra'> => ({
  deliver: 'http',
  deliver_extra: callback,
})

/** Returns the delivery of a route's callback, without its secrets; `undefined` where the route has none. Mistakes are reported. */
export const callbackDelivery = (
  { callback }: Pick<Route, 'callback'>,
  targets: ReadonlyMap<string, TargetPart>,
  report: Report = () => {},
): Delivery | undefined => {
  if (!callback) return undefined
  const written = readDelivery(callbackAsDeliver(callback), targets, (code, [, ...path], message, help) =>
    report(code, ['callback', ...path], message, help?.replace('deliver_extra.', 'callback.')),
  )
  return deliveriesOf(written)[0]
}
