/** The contract for reading the records of events. It has two implementations: a folder of segments, and the database of a shared store. */

import type { EventFilter, Events } from './fold-events.ts'
import type { EventView, RawPlace, RawRequest } from './record.ts'

/** The result of looking up an event. `ambiguous`: several events match; `ids` has at most ten of them, the newest. */
export type EventLookup =
  | { readonly kind: 'found'; readonly event: EventView }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ambiguous'; readonly by: 'id' | 'delivery id'; readonly ids: readonly string[] }

/** Reads events and their raw requests. Where a shared database cannot be asked, each method rejects with a Fault or a StoreFault. */
export interface EventRecords {
  /**
   * Reads the newest events that `wanted` lets through. An event whose line of arrival was deleted is among them only when the reading came
   * to the oldest line.
   */
  events(wanted: EventFilter): Promise<Events>
  /** Reads one event by its id, by a prefix of six or more characters that no other id has, or by its delivery id. */
  event(id: string): Promise<EventLookup>
  /**
   * Reads the events with these ids, in any order. Where a look-up searches all lines, all events are found in one search. Events that are
   * not there are left out.
   */
  eventsOf(ids: readonly string[]): Promise<readonly EventView[]>
  /**
   * Reads what is stored at a place: a request, its body byte for byte, or the prompt and reply of an attempt in the same form. `undefined`
   * when it was deleted, is not complete or is damaged.
   */
  raw(place: RawPlace): Promise<RawRequest | undefined>
}
