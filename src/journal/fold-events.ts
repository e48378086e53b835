/** Folds lines into events, newest line first. Only events that older lines may still change stay in memory. */

import { addLine, type EventHistory, eventView, groupOf, historyOf, isArrival } from './event-history.ts'
import type { JournalLine } from './line.ts'
import type { Ended, EventView } from './record.ts'

export type EventFilter = {
  /** Whether an event is wanted. Absent: all events are. */
  readonly fits?: (view: EventView) => boolean
  readonly limit: number
  /** Only events that arrived at this time or later; milliseconds since 1970. */
  readonly since?: number
  /** The id of an event: only events that come after it in the order of reading. */
  readonly after?: string
}

/**
 * Events in the order of reading: the event whose line of arrival was written last comes first. A slow request's line is written late.
 * `truncated`: there are more than `limit`. `skipped`: the number of lines that cannot be read. `met`: the event `after` was found.
 */
export type Events = {
  readonly events: readonly EventView[]
  readonly truncated: boolean
  readonly skipped: number
  readonly met: boolean
}

export interface Fold {
  /** Adds the next older line; `undefined` for a line that cannot be read. */
  add(line: JournalLine | undefined): void
  /** Ends a piece of lines. `true`: there are enough events. */
  settle(): boolean
  /** Ends the last piece, and takes the events whose line of arrival was deleted. */
  settleRest(): void
  result(): Events
}

export const createFold = ({ fits = () => true, limit, since = Number.NEGATIVE_INFINITY, after }: EventFilter): Fold => {
  const histories = new Map<string, EventHistory>()
  /** The ends of the runs of groups whose members may still come, by the id of the event that opened the group. */
  const groupEnds = new Map<string, Ended>()
  const events: EventView[] = []
  let skipped = 0
  let met = after === undefined
  /** Events whose arrival is in the current piece. */
  let arrived = new Set<string>()
  /** Events whose arrival was in the previous piece, to be settled next. */
  let ripe = new Set<string>()

  const take = (view: EventView | undefined): void => {
    if (!met) met = view?.event_id === after
    else if (view && events.length <= limit && Date.parse(view.at) >= since && fits(view)) events.push(view)
  }

  const settleOne = (id: string): void => {
    const history = histories.get(id)
    if (!history) return
    histories.delete(id)
    const group = groupOf(history)
    take(eventView(history, group === undefined ? undefined : groupEnds.get(group)))
    // Lines come newest first, and the event that opened a group arrived before the other members. So all members have come.
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
      // An event is settled one piece after its arrival, because the end of its run may have been written before the line of its arrival.
      for (const id of ripe) settleOne(id)
      ripe = arrived
      arrived = new Set()
      return events.length > limit
    },
    settleRest() {
      for (const id of [...ripe, ...histories.keys()]) settleOne(id)
    },
    result() {
      return { events: events.slice(0, limit), truncated: events.length > limit, skipped, met }
    },
  }
}
