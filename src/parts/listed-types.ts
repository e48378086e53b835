/**
 * Lists of event types, as `events` of a route and of `cancel_on` have them (rules: Events 2). A sender may give an event a short form of its
 * type too, which a list may have instead.
 */

import type { Event } from '../core/request.ts'

/** What a list is compared with. */
type EventTypes = Pick<Event, 'eventType' | 'eventAlias'>

/** Makes the function that tests whether a list of event types has the type of an event, or the short form of that type. */
export const compileTypeList = (events: readonly string[]): ((event: EventTypes) => boolean) => {
  const listed = new Set(events)
  return ({ eventType, eventAlias }) => listed.has(eventType) || (eventAlias !== undefined && listed.has(eventAlias))
}
