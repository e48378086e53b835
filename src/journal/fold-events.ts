/**
 * Makes a list of events from the lines of a journal, which are added newest first. An event is settled, that is, put on the list or left
 * out, as soon as no older line can change it. Only events that are not settled stay in memory.
 */

import { addLine, type EventHistory, eventView, groupOf, historyOf, isArrival } from './event-history.ts'
import type { JournalLine } from './line.ts'
import type { EventSummary, EventView, RunEndedRecord } from './record.ts'

export type EventFilter = {
  /** Whether an event is wanted. Called once for each event. Without this function all events are wanted. */
  readonly fits?: (event: EventSummary) => boolean
  /** The most events that are wanted. */
  readonly limit: number
  /** Only events that arrived at this time or later; milliseconds since 1970. */
  readonly since?: number
  /** The id of an event: only events that come after it in the order of reading. */
  readonly after?: string
}

/**
 * Events in the order of reading: first the event whose line of arrival was written last, which for a slow request is later than its time
 * of arrival. `truncated`: there are more events than `limit`. `skipped`: the number of lines that cannot be read. `met`: the event that
 * `after` names was found, or the filter has no `after`.
 */
export type Events = {
  readonly events: readonly EventView[]
  readonly truncated: boolean
  readonly skipped: number
  readonly met: boolean
}

/** `ids`: the ids of the only events that are wanted; once all of them are found, no further event is. */
export type FoldFilter = EventFilter & { readonly ids?: ReadonlySet<string> }

/** Makes events of the lines of a journal. The caller adds the newest line first, calls `settle` now and then, and `result` at the end. */
export interface Fold {
  /** Adds the next older line; `undefined` for a line that cannot be read. */
  add(line: JournalLine | undefined): void
  /** Ends a piece of lines, and settles the events that arrived in the piece before it. `true`: there are enough events. */
  settle(): boolean
  /** Settles all remaining events, among them events whose line of arrival was deleted. Called when there are no older lines. */
  settleRest(): void
  /** Returns the events that are settled. */
  result(): Events
}

export const createFold = ({ fits = () => true, limit, since = Number.NEGATIVE_INFINITY, after, ids }: FoldFilter): Fold => {
  const histories = new Map<string, EventHistory>()
  /** The ends of the runs of groups, by the id of the event that opened the group, while lines of the group's events may still come. */
  const groupEnds = new Map<string, RunEndedRecord>()
  const events: EventView[] = []
  let skipped = 0
  let met = after === undefined
  /** The ids of events whose arrival is in the current piece. */
  let arrived = new Set<string>()
  /** The ids of events whose arrival was in the previous piece: the next `settle` settles them. */
  let ripe = new Set<string>()

  const take = (view: EventView | undefined): void => {
    if (!met) met = view?.event_id === after
    else if (view && events.length <= limit && (ids?.has(view.event_id) ?? true) && Date.parse(view.at) >= since && fits(view))
      events.push(view)
  }

  const settleOne = (id: string): void => {
    const history = histories.get(id)
    if (!history) return
    histories.delete(id)
    const group = groupOf(history)
    take(eventView(history, group === undefined ? undefined : groupEnds.get(group)))
    // If this event opened a group, it arrived before all other events of the group. Lines come newest first, so these events are settled.
    groupEnds.delete(id)
  }

  return {
    add(line) {
      if (!line) {
        skipped++
        return
      }
      const { entry } = line
      addLine(historyOf(histories, entry.event_id), line)
      if (isArrival(line)) arrived.add(entry.event_id)
      if (entry.kind === 'ended' && entry.group !== undefined && !groupEnds.has(entry.group)) groupEnds.set(entry.group, entry)
    },
    settle() {
      // An event is settled one piece after its arrival: the end of its run may have been written before its arrival, and so is read after
      // it.
      for (const id of ripe) settleOne(id)
      ripe = arrived
      arrived = new Set()
      return events.length > limit || events.length === ids?.size
    },
    settleRest() {
      for (const id of [...ripe, ...histories.keys()]) settleOne(id)
    },
    result() {
      return { events: events.slice(0, limit), truncated: events.length > limit, skipped, met }
    },
  }
}
