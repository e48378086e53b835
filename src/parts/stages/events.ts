/**
 * The gate `events` lets an event on when the route's list `events` has the type of the event or its short form, or is empty or absent
 * (rules: Events 2).
 */

import type { Event } from '../../core/request.ts'
import type { StagePart } from './stage.ts'

export const events: StagePart = {
  name: 'events',
  compile(route, { name }) {
    if (!route.events || route.events.length === 0) return {}
    const isListed = compileTypeList(route.events)
    return {
      onEvent(event) {
        if (isListed(event)) return event
        return {
          kind: 'ignored',
          reason: 'event',
          route: name,
          event: event.eventType,
          detail: () => `events: ${event.eventType} is not listed`,
        }
      },
    }
  },
}

/** Makes the function that tests whether a list of event types has the type of an event, or the short form of that type. */
export const compileTypeList = (events: readonly string[]): ((event: Pick<Event, 'eventType' | 'eventAlias'>) => boolean) => {
  const listed = new Set(events)
  return ({ eventType, eventAlias }) => listed.has(eventType) || (eventAlias !== undefined && listed.has(eventAlias))
}
