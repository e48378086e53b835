/** Chooses the events of a bulk job, up to a hundred thousand, and keeps of each only what the job needs. */

import type { SourceCount } from '../../app/events/event-batch.ts'
import type { EventCriteria } from '../../app/events/event-selection.ts'
import { selectionOf } from '../../app/events/event-selection.ts'
import { type EventStatus, eventSource } from '../../app/events/event-status.ts'
import { selectEvents } from '../../app/events/events.ts'
import type { GatewayFinder } from '../../app/running-gateway.ts'
import type { Workspace } from '../../app/workspace.ts'

/** The most events of a bulk job. */
const maxChosen = 100_000
/** The events that are read at once. */
const pageSize = 1_000

/** `first`: the oldest events, which come first, whole. `leftOut`: how many events fit, but cannot be worked on. */
export type ManyEvents = {
  /** The oldest first. */
  readonly events: readonly EventStatus[]
  readonly first: readonly EventStatus[]
  readonly bySource: readonly SourceCount[]
  readonly leftOut: number
  /** Older events fit, too, and are not among them. */
  readonly isCut: boolean
}

/**
 * Chooses the newest events that fit the criteria and can be worked on. `workable`: returns those of a page that can be. `shown`: how many
 * events are kept whole.
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

/** Returns the event with the little that its replay or retry needs: a hundred thousand are kept while a job runs. */
const small = ({ event: { event_id, at, profile, route, outcome, state: recorded }, state, attempt }: EventStatus): EventStatus => ({
  event: { event_id, at, profile, route, outcome, state: recorded, tries: [] },
  state,
  attempt,
})
