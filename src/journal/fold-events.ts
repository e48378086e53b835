/** Folds lines into events, newest line first, and keeps in memory no more than what older lines may still change. */

import { addLine, type EventHistory, groupOf, historyOf, isArrival, viewOf } from './event-history.ts'
import type { Line } from './line.ts'
import type { Ended, EventView } from './record.ts'

export type Wanted = {
  /** Which events; all when absent. */
  readonly fits?: (view: EventView) => boolean
  readonly limit: number
  /** Those that arrived since; milliseconds since 1970. */
  readonly since?: number
  /** Those that come after this event in the order of reading. */
  readonly after?: string
}

/**
 * In the order of reading: the line that was written last comes first, and that of a slow request comes late. `truncated`: there are more
 * than `limit`. `skipped`: lines that are damaged or foreign, among those that had to be read. `met`: the event of `after` was there.
 */
export type Events = {
  readonly events: readonly EventView[]
  readonly truncated: boolean
  readonly skipped: number
  readonly met: boolean
}

export interface Fold {
  /** Adds the next older line; `undefined` for one that cannot be read. */
  add(line: Line | undefined): void
  /** To be called after each piece; `true`: there are enough. */
  settle(): boolean
  /** After the last piece: events whose arrival is not there any more. */
  settleRest(): void
  result(): Events
}

export const createFold = ({ fits = () => true, limit, since = Number.NEGATIVE_INFINITY, after }: Wanted): Fold => {
  const stories = new Map<string, EventHistory>()
  /** How the groups' runs ended whose members may still be met, by the event that opened them. */
  const groupEnds = new Map<string, Ended>()
  const events: EventView[] = []
  let skipped = 0
  let met = after === undefined
  /** Those whose arrival was met in this piece. */
  let arrived = new Set<string>()
  let ripe = new Set<string>()

  const take = (view: EventView | undefined): void => {
    if (!met) met = view?.event_id === after
    else if (view && events.length <= limit && Date.parse(view.at) >= since && fits(view)) events.push(view)
  }

  const settleOne = (id: string): void => {
    const story = stories.get(id)
    if (!story) return
    stories.delete(id)
    const group = groupOf(story)
    take(viewOf(story, group === undefined ? undefined : groupEnds.get(group)))
    // The opener of a group arrived before the other members, and lines come newest first: all members have been met.
    groupEnds.delete(id)
  }

  return {
    add(line) {
      if (!line) {
        skipped++
        return
      }
      const { entry } = line
      addLine(historyOf(stories, entry.event_id), line)
      if (isArrival(line)) arrived.add(entry.event_id)
      if (entry.kind === 'ended' && entry.group !== undefined && !groupEnds.has(entry.group)) groupEnds.set(entry.group, entry)
    },
    settle() {
      // An event is settled one piece after its arrival was met: its run may have ended before the line of its arrival was written.
      for (const id of ripe) settleOne(id)
      ripe = arrived
      arrived = new Set()
      return events.length > limit
    },
    settleRest() {
      for (const id of [...ripe, ...stories.keys()]) settleOne(id)
    },
    result() {
      return { events: events.slice(0, limit), truncated: events.length > limit, skipped, met }
    },
  }
}
