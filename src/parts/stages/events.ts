/** Lets an event on when the route lists its type, or lists nothing (rules: Events 2). */

import type { Event } from '../../core/request.ts'
import type { StagePart } from './stage.ts'

export const events: StagePart = {
  name: 'events',
  compile(route, { name }) {
    if (!route.events || route.events.length === 0) return {}
    const isListed = listedIn(route.events)
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

/** Whether a list names the event's type, or its short form. */
export const listedIn = (events: readonly string[]): ((event: Pick<Event, 'eventType' | 'eventAlias'>) => boolean) => {
  const listed = new Set(events)
  return ({ eventType, eventAlias }) => listed.has(eventType) || (eventAlias !== undefined && listed.has(eventAlias))
}
