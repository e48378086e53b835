/**
 * The ending of a route with `dispatch`: makes no work, and lets each event on to the routes that `dispatch` chooses (`split/dispatch.ts`).
 */

import type { EndingPart } from './ending.ts'

export const dispatch: EndingPart = {
  name: 'dispatch',
  mode: 'dispatch',
  fits: (route) => route.dispatch !== undefined,
  compile: () => (event) => ({
    kind: 'split',
    route: event.route,
    event: event.eventType,
    deliveryId: event.deliveryId,
    items: {},
  }),
}
