/** Looks up the events of replays that come one after the other together, because each look-up may search the whole journal. */

import type { EventRecords } from '../../journal/event-records.ts'
import type { EventView } from '../../journal/record.ts'

/** The most events that are kept for replays to come. */
const maxKept = 1_000

export type RecordsAhead = Pick<EventRecords, 'event' | 'raw'> & {
  /** Reads the events with these ids. The next look-up of each of them by its id is answered without reading. */
  read(ids: readonly string[]): Promise<void>
}

export const recordsAhead = (records: EventRecords): RecordsAhead => {
  const kept = new Map<string, EventView>()
  return {
    async read(ids) {
      for (const event of await records.eventsOf(ids)) kept.set(event.event_id, event)
      // Where a command was broken off, its events are left, and the oldest make room.
      for (const id of kept.keys()) {
        if (kept.size <= maxKept) break
        kept.delete(id)
      }
    },
    async event(id) {
      const event = kept.get(id)
      kept.delete(id)
      return event ? { kind: 'found', event } : records.event(id)
    },
    raw: (place) => records.raw(place),
  }
}
