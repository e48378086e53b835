/**
 * The gate `events` lets an event on when the route's list `events` has the type of the event or its short form, or is empty or absent
 * (rules: Events 2).
 */

import { compileTypeList } from '../listed-types.ts'
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
