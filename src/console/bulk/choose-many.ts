/** Chooses the events of a bulk job, up to a hundred thousand, and keeps only the fields of an event that the job needs. */

import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { SourceCount } from '../../operate/events/event-batch.ts'
import type { EventCriteria } from '../../operate/events/event-selection.ts'
import { selectionOf } from '../../operate/events/event-selection.ts'
import { type EventStatus, eventSource } from '../../operate/events/event-status.ts'
import { selectEvents } from '../../operate/events/events.ts'

/** The most events that are read for a bulk job, including events that cannot be worked on. */
const maxChosen = 100_000
/** The number of events that are read at a time. */
const pageSize = 1_000

/**
 * `first`: the oldest of the events, with all their fields. `leftOut`: the number of events that fit the criteria and cannot be worked on.
 */
export type ManyEvents = {
  /** The chosen events, oldest first. */
  readonly events: readonly EventStatus[]
  readonly first: readonly EventStatus[]
  readonly bySource: readonly SourceCount[]
  readonly leftOut: number
  /** Whether further, older events may fit the criteria, which are not among `events`. */
  readonly isCut: boolean
}

/**
 * Chooses the newest events that fit the criteria and can be worked on. `workable`: returns the events of a page that can be worked on.
 * `shown`: the number of events in `first`.
 */
export const chooseMany = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  criteria: EventCriteria,
  workable: (page: readonly EventStatus[]) => Promise<readonly EventStatus[]>,
  shown: number,
): Promise<ManyEvents> => {
  const events: EventStatus[] = []
  const counts = new Map<string, number>()
  let oldest: readonly EventStatus[] = []
  let looked = 0
  let leftOut = 0
  for (let cursor: string | undefined; ; ) {
    const selection = selectionOf({ ...criteria, ...(cursor === undefined ? {} : { cursor }) }, Math.min(pageSize, maxChosen - looked))
    const page = await selectEvents(workspace, gateway, selection)
    const chosen = await workable(page.events)
    looked += page.events.length
    leftOut += page.events.length - chosen.length
    for (const known of chosen) {
      const source = eventSource(known.event)
      counts.set(source, (counts.get(source) ?? 0) + 1)
      events.push(small(known))
    }
    oldest = [...oldest, ...chosen].slice(-shown)
    cursor = page.next
    if (cursor === undefined || looked >= maxChosen)
      return {
        events: events.reverse(),
        first: oldest.toReversed(),
        bySource: [...counts].map(([source, count]) => ({ source, count })),
        leftOut,
        isCut: cursor !== undefined,
      }
  }
}

/**
 * Returns the event with only the fields that a replay or retry needs, because up to a hundred thousand events are kept while a job runs.
 */
const small = ({ event: { event_id, at, profile, route, outcome, state: recorded }, state, attempt }: EventStatus): EventStatus => ({
  event: { event_id, at, profile, route, outcome, state: recorded, tries: [] },
  state,
  attempt,
})
