/** Lets an event pass when its type is listed. Without a list, or with an empty one, every event passes (rules: Events 2). */

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
