/** Lets the listed event types pass; an empty or absent list lets all (spec: Events). */

import type { StagePart } from './stage.ts'

export const events: StagePart = {
  name: 'events',
  compile(route, { name }) {
    if (!route.events || route.events.length === 0) return {}
    const accepted = new Set(route.events)
    return {
      pass(opened) {
        if (accepted.has(opened.eventType)) return opened
        if (opened.eventAlias !== undefined && accepted.has(opened.eventAlias)) return opened
        return {
          kind: 'ignored',
          reason: 'event',
          route: name,
          event: opened.eventType,
          detail: () => `events: ${opened.eventType} is not listed`,
        }
      },
    }
  },
}
