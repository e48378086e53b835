/** Lets an event pass when the route's list names its type, or when that list is empty or absent (rules: Events 2). */

import type { StagePart } from './stage.ts'

export const events: StagePart = {
  name: 'events',
  compile(route, { name }) {
    if (!route.events || route.events.length === 0) return {}
    const accepted = new Set(route.events)
    return {
      onEvent(event) {
        if (accepted.has(event.eventType)) return event
        if (event.eventAlias !== undefined && accepted.has(event.eventAlias)) return event
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
