/** What the expressions of a route see of an event: those in templates (`{= … }`), and `transform`. */

import { looseOf } from '../core/exact-json.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import type { Event } from '../core/request.ts'
import { requestInput } from './request-field.ts'

const inputsByEvent = new WeakMap<Event, JsonObject>()

/** Returns the input of an expression: the payload's own names, and the event's other fields under names that the payload does not use. */
export const expressionInput = (event: Event): JsonObject => {
  // All expressions share one copy: copying tens of thousands of names takes longer than parsing them.
  const inputs = inputsByEvent.get(event)
  if (inputs) return inputs
  const { eventType, headers, route, deliveryId } = event
  const payload = looseOf(event)
  const all = {
    payload,
    event: eventType,
    event_type: eventType,
    headers: headers as JsonObject,
    // The query is parsed only for an expression that reads it.
    get request(): JsonObject {
      return requestInput(event)
    },
    route,
    delivery_id: deliveryId,
    ...(isObject(payload) ? payload : {}),
    ...(event.batch ? { batch: looseOf(event.batch) } : {}),
    ...(event.lookup ? { lookup: looseOf(event.lookup) } : {}),
  }
  inputsByEvent.set(event, all)
  return all
}
