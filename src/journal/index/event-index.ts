/**
 * An index of the newest events of a journal: a summary of each event in memory, and the places of its lines in the files. The code that
 * reads events without an index makes the summaries, too, so answers with and without the index are equal.
 */

import { addLine, type EventHistory, eventView, groupOf, isArrival } from '../event-history.ts'
import type { EventFilter } from '../fold-events.ts'
import { type EventView, type RunEndedRecord, recordedTime } from '../record.ts'
import { createSummaries, type IndexedEvent, linePlacesOf, packed } from './indexed-event.ts'
import { byAge, type LinePlace, type PlacedLine, readPlacedLines } from './line-places.ts'

/** A group of events (`coalesce`). `end`: the place of the newest line with the end of its run. */
type Group = { readonly members: Set<IndexedEvent>; end: LinePlace | undefined }

/**
 * The indexed events that a filter lets through, in the order of reading, one more than its limit at most. `oldest`: the id of the oldest
 * event of the index; `undefined` for an empty index. `met`: as in `Events`.
 */
export type Chosen = { readonly events: readonly IndexedEvent[]; readonly met: boolean; readonly oldest: string | undefined }

export class EventIndex {
  readonly #folder: string
  readonly #maxEvents: number
  readonly #summaryOf = createSummaries()
  readonly #byId = new Map<string, IndexedEvent>()
  /** The events whose arrival is known, oldest first. */
  #arrived: IndexedEvent[] = []
  /** The events whose line of arrival was deleted, or is not written yet. */
  readonly #others = new Set<IndexedEvent>()
  readonly #groups = new Map<string, Group>()
  #lastNumber = 0
  /** The number of the newest segment with a line of an event that is not in the index; 0 where the index has all events. */
  missing: number

  constructor(folder: string, maxEvents: number, missing: number) {
    this.#folder = folder
    this.#maxEvents = maxEvents
    this.missing = missing
  }

  /** Adds lines in the order in which they were written. All of these lines must be newer than the lines that were added before. */
  async add(lines: readonly PlacedLine[]): Promise<void> {
    const changed = new Map<IndexedEvent, PlacedLine[]>()
    const change = (event: IndexedEvent): PlacedLine[] => {
      const known = changed.get(event)
      if (known) return known
      const added: PlacedLine[] = []
      changed.set(event, added)
      return added
    }
    for (const placed of lines) {
      const { entry } = placed.line
      const event = this.#eventOf(entry.event_id)
      change(event).push(placed)
      if (!('group' in entry) || entry.group === undefined) continue
      const group = this.#groupOf(entry.group)
      group.members.add(event)
      if (entry.kind !== 'ended') continue
      group.end = placed.place
      for (const member of group.members) change(member)
    }
    await this.#summarise(changed)
    this.#trim()
  }

  /** Forgets the lines of segments that were deleted. */
  async forget(isGone: (segment: number) => boolean): Promise<void> {
    const changed = new Map<IndexedEvent, PlacedLine[]>()
    for (const group of this.#groups.values()) if (group.end && isGone(group.end.segment)) group.end = undefined
    for (const event of this.#byId.values()) {
      const places = linePlacesOf(event)
      const left = places.filter(({ segment }) => !isGone(segment))
      if (left.length === places.length) continue
      event.places = packed(left)
      if (left.length > 0) changed.set(event, [])
      else this.#remove(event)
    }
    await this.#summarise(changed)
    this.#arrived = this.#arrived.filter(({ number }) => number > 0)
  }

  /** Chooses events. `hasAll`: whether the index has all events of the journal. Only then are events without a line of arrival chosen. */
  choose({ fits = () => true, limit, since, after }: EventFilter, hasAll: boolean): Chosen {
    const events: IndexedEvent[] = []
    const from = since === undefined ? '' : recordedTime(since)
    let met = after === undefined
    const take = (event: IndexedEvent): void => {
      const { summary } = event
      if (!summary) return
      if (!met) met = event.id === after
      else if (summary.at >= from && fits(summary)) events.push(event)
    }
    const cursor = after === undefined ? undefined : this.#byId.get(after)
    let at = this.#arrived.length
    if (cursor && cursor.number > 0) {
      at = this.#positionOf(cursor)
      met = true
    } else if (cursor) at = 0
    while (at-- > 0 && events.length <= limit) take(this.#arrived[at] as IndexedEvent)
    if (hasAll) for (const event of this.#othersByAge()) if (events.length <= limit) take(event)
    return { events, met, oldest: this.#arrived[0]?.id }
  }

  /**
   * Returns the event with exactly this id; `undefined` where the index does not have the event, or may lack lines of it. An event that was
   * taken out of the index comes back with its next line, without its earlier lines.
   */
  event(id: string): IndexedEvent | undefined {
    const event = this.#byId.get(id)
    return event && (event.number > 0 || this.missing === 0) ? event : undefined
  }

  /** Reads events from the files. An event is left out where its lines were deleted meanwhile. */
  async views(events: readonly IndexedEvent[]): Promise<readonly EventView[]> {
    const histories = await this.#histories(new Map(events.map((event) => [event, []])))
    return events.flatMap((event) => {
      const { history, groupEnd } = histories.get(event) ?? {}
      return (history && eventView(history, groupEnd)) ?? []
    })
  }

  #eventOf(id: string): IndexedEvent {
    const known = this.#byId.get(id)
    if (known) return known
    const event: IndexedEvent = { id, summary: undefined, number: 0, places: '' }
    this.#byId.set(id, event)
    this.#others.add(event)
    return event
  }

  #groupOf(id: string): Group {
    const known = this.#groups.get(id)
    if (known) return known
    const group: Group = { members: new Set(), end: undefined }
    this.#groups.set(id, group)
    return group
  }

  /** Makes the summaries of events anew, after the given lines were added to them. */
  async #summarise(changed: ReadonlyMap<IndexedEvent, readonly PlacedLine[]>): Promise<void> {
    const histories = await this.#histories(changed)
    const arrived: { readonly event: IndexedEvent; readonly place: LinePlace }[] = []
    for (const [event, { history, groupEnd, places, arrival }] of histories) {
      const view = eventView(history, groupEnd)
      event.places = packed(places)
      event.summary = view && this.#summaryOf(event.id, view)
      if (arrival && event.number === 0) arrived.push({ event, place: arrival })
      if (!arrival && event.number > 0) {
        event.number = 0
        this.#others.add(event)
      }
    }
    for (const { event } of arrived.sort((a, b) => byAge(a.place, b.place))) {
      event.number = ++this.#lastNumber
      this.#others.delete(event)
      this.#arrived.push(event)
    }
  }

  /** Puts the histories of events together, from the lines that are added and the lines that are read at the known places. */
  async #histories(changed: ReadonlyMap<IndexedEvent, readonly PlacedLine[]>): Promise<ReadonlyMap<IndexedEvent, ReadHistory>> {
    const owners = new Map<LinePlace, IndexedEvent>()
    const ends = new Map<LinePlace, string>()
    for (const [event, added] of changed) {
      for (const place of linePlacesOf(event)) owners.set(place, event)
      const group = event.summary?.group ?? groupIn(added)
      const end = group === undefined ? undefined : this.#groups.get(group)?.end
      if (group !== undefined && end) ends.set(end, group)
    }
    const linesOf = new Map<IndexedEvent, PlacedLine[]>([...changed].map(([event, added]) => [event, [...added]]))
    const groupEnds = new Map<string, RunEndedRecord>()
    for (const placed of await readPlacedLines(this.#folder, [...owners.keys(), ...ends.keys()])) {
      const owner = owners.get(placed.place)
      if (owner) linesOf.get(owner)?.push(placed)
      const group = ends.get(placed.place)
      if (group !== undefined && placed.line.entry.kind === 'ended') groupEnds.set(group, placed.line.entry)
    }
    return new Map([...linesOf].map(([event, lines]) => [event, historyOf(lines, groupEnds)]))
  }

  #positionOf({ number }: IndexedEvent): number {
    let [low, high] = [0, this.#arrived.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#arrived[middle]?.number ?? 0) < number) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns the events without a line of arrival, newest first. */
  #othersByAge(): readonly IndexedEvent[] {
    const lastOf = (event: IndexedEvent): LinePlace => linePlacesOf(event).at(-1) ?? { segment: 0, offset: 0, length: 0 }
    return [...this.#others].sort((a, b) => byAge(lastOf(b), lastOf(a)))
  }

  /** Takes the oldest events out while there are too many. */
  #trim(): void {
    const old = this.#arrived.splice(0, Math.max(0, this.#arrived.length - this.#maxEvents))
    old.push(...[...this.#others].slice(0, Math.max(0, this.#others.size - this.#maxEvents)))
    for (const event of old) {
      this.missing = Math.max(this.missing, linePlacesOf(event).at(-1)?.segment ?? 0)
      this.#remove(event)
    }
  }

  #remove(event: IndexedEvent): void {
    this.#byId.delete(event.id)
    this.#others.delete(event)
    event.number = 0
    const { group } = event.summary ?? {}
    const of = group === undefined ? undefined : this.#groups.get(group)
    of?.members.delete(event)
    if (group !== undefined && of?.members.size === 0) this.#groups.delete(group)
  }
}

/** An event's history, the end of its group's run, the places of all its lines, and the place of its line of arrival. */
type ReadHistory = {
  readonly history: EventHistory
  readonly groupEnd: RunEndedRecord | undefined
  readonly places: readonly LinePlace[]
  readonly arrival: LinePlace | undefined
}

const groupIn = (lines: readonly PlacedLine[]): string | undefined => {
  for (const { line } of lines) if ('group' in line.entry && line.entry.group !== undefined) return line.entry.group
  return undefined
}

const historyOf = (lines: readonly PlacedLine[], groupEnds: ReadonlyMap<string, RunEndedRecord>): ReadHistory => {
  const history: EventHistory = { steps: [] }
  for (const { line } of [...lines].sort((a, b) => byAge(b.place, a.place))) addLine(history, line)
  const group = groupOf(history)
  return {
    history,
    groupEnd: group === undefined ? undefined : groupEnds.get(group),
    places: lines.map(({ place }) => place),
    arrival: lines.find(({ line }) => isArrival(line))?.place,
  }
}
