/** One event of the index: what events are chosen by, and where its lines stand. A hundred thousand of them are in memory. */

import type { EventSummary, EventView } from '../record.ts'
import { byAge, type LinePlace } from './line-places.ts'

export type IndexedEvent = {
  readonly id: string
  /** Absent while neither the arrival of the event nor the end of its run is known. */
  summary: EventSummary | undefined
  /** The number of the event in the order of arrivals, from 1; 0 while its line of arrival is not known. */
  number: number
  /** The places of its lines, oldest first, as `linePlacesOf` reads them. A text takes a third of the memory of a list of numbers. */
  places: string
}

export const linePlacesOf = ({ places }: IndexedEvent): readonly LinePlace[] =>
  places === ''
    ? []
    : places.split(' ').map((place) => {
        const [segment, offset, length] = place.split(':').map(Number) as [number, number, number]
        return { segment, offset, length }
      })

export const packed = (places: readonly LinePlace[]): string =>
  [...places]
    .sort(byAge)
    .map(({ segment, offset, length }) => `${segment}:${offset}:${length}`)
    .join(' ')

/** The most different texts that are kept once. Senders choose the types of events, so there may be any number of them. */
const maxTexts = 10_000

/** Returns a function that makes the summaries of events. Texts that many events have, such as the route, are in memory once. */
export const createSummaries = (): ((id: string, view: EventView) => EventSummary) => {
  const texts = new Map<string, string>()
  const once = <T extends string | undefined>(text: T): T => {
    if (text === undefined) return text
    const known = texts.get(text)
    if (known !== undefined) return known as T
    if (texts.size === maxTexts) texts.clear()
    texts.set(text, text)
    return text
  }
  // All summaries have the same members in the same order, also those without a value, so that V8 keeps them as one shape.
  return (id, view) =>
    ({
      event_id: id,
      at: view.at,
      profile: once(view.profile),
      route: once(view.route),
      event_type: once(view.event_type),
      delivery_id: view.delivery_id,
      outcome: once(view.outcome),
      stage: once(view.stage),
      job: once(view.job),
      group: view.group,
      batch_of: once(view.batch_of),
      state: view.state,
      work: view.work,
      raw: view.raw !== undefined || undefined,
      unverified: view.unverified !== undefined || undefined,
    }) as EventSummary
}
