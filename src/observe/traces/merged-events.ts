/** Remembers the events that joined each group, so that the group's run can have a link to each of them. */

import type { TraceContext } from '../../core/telemetry/trace-context.ts'

export interface MergedEvents {
  add(group: string, event: TraceContext): void
  of(group: string): readonly TraceContext[]
  forget(group: string): void
}

/** The most events of a group that get a link, as in OpenTelemetry's SDKs. */
const maxLinks = 128
/** The most groups that are remembered. For a further group the oldest is forgotten. */
const maxGroups = 1_000

export const createMergedEvents = (): MergedEvents => {
  const groups = new Map<string, TraceContext[]>()
  return {
    add(group, event) {
      const events = groups.get(group) ?? []
      if (!groups.has(group) && groups.size >= maxGroups) groups.delete(groups.keys().next().value as string)
      if (events.length < maxLinks) groups.set(group, [...events, event])
    },
    of: (group) => groups.get(group) ?? [],
    forget: (group) => void groups.delete(group),
  }
}
