/** The rows of the live traffic, newest first. Each request has a row, which changes as the run of the request goes on. */

import type { DeliveryLine, OutcomeLine } from '../../../generated/control.ts'
import type { EventJson } from '../../../operate/events/event-status.ts'
import type { LiveLine } from '../../live-feed.ts'

export type LiveRow = Pick<
  EventJson,
  'at' | 'route' | 'event_type' | 'outcome' | 'stage' | 'reason' | 'status' | 'duration_ms' | 'state' | 'error'
> & {
  readonly key: string
  /** `null` for a refused request that left no record. */
  readonly id: string | null
}

/**
 * `waiting`: the rows that came while the list stands still; `null` while the list moves. `lost`: the number of lines that came too fast
 * for this page.
 */
export type LiveList = {
  readonly rows: readonly LiveRow[]
  readonly waiting: readonly LiveRow[] | null
  readonly lost: number
  /** Why the traffic is not watched at present; `null` while it is watched. */
  readonly off: string | null
  /** The number of requests so far, which is the key of the latest request's row. */
  readonly requests: number
}

/** The most rows: as many as the answer to one question has. The screen "Events" has the older events. */
export const maxRows = 200

export const emptyList: LiveList = { rows: [], waiting: null, lost: 0, off: null, requests: 0 }

/** Takes a line of the live traffic into the list. */
export const withLine = (list: LiveList, line: LiveLine): LiveList => {
  switch (line.type) {
    case 'outcome':
      return withRow({ ...list, requests: list.requests + 1 }, rowOfOutcome(line, list.requests + 1))
    case 'delivery':
      return withDelivery(list, line)
    case 'lost':
      return { ...list, lost: list.lost + line.lines }
    case 'init':
      return { ...list, off: null }
    case 'off':
      return { ...list, off: line.why }
    default:
      return list
  }
}

/** Lets the list stand still, or lets it move again, with the rows that came meanwhile. */
export const paused = (list: LiveList, isPaused: boolean): LiveList => {
  if (isPaused) return list.waiting ? list : { ...list, waiting: [] }
  return list.waiting ? { ...list, rows: newest([...list.waiting, ...list.rows]), waiting: null } : list
}

/** Returns the number of waiting rows in words. */
export const waitingCount = (waiting: readonly LiveRow[]): string => `${waiting.length}${waiting.length < maxRows ? '' : ' or more'}`

/**
 * Takes recorded events into the list: events from before the page was opened, events of lost lines, and the present states of events that
 * have a row. While the list stands still, new events wait.
 */
export const withRecorded = (list: LiveList, events: readonly EventJson[]): LiveList => {
  const recorded = new Map(events.map((event) => [event.event_id, rowOfEvent(event)]))
  const asRecorded = (row: LiveRow): LiveRow => recorded.get(row.key) ?? row
  const known = new Set([...list.rows, ...(list.waiting ?? [])].map(({ key }) => key))
  const missing = [...recorded.values()].filter(({ key }) => !known.has(key))
  const rows = list.rows.map(asRecorded)
  if (!list.waiting) return { ...list, rows: newest([...missing, ...rows]) }
  return { ...list, rows, waiting: newest([...missing, ...list.waiting.map(asRecorded)]) }
}

const newest = (rows: readonly LiveRow[]): readonly LiveRow[] =>
  [...rows].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, maxRows)

const withRow = (list: LiveList, row: LiveRow): LiveList =>
  list.waiting ? { ...list, waiting: newest([row, ...list.waiting]) } : { ...list, rows: newest([row, ...list.rows]) }

const rowOfOutcome = ({ event_id: id, ...line }: OutcomeLine, number: number): LiveRow => ({
  ...line,
  // A refused request without a record has no id.
  key: id ?? `request ${number}`,
  id,
  route: line.route ?? '',
  state: line.outcome === 'accepted' || line.outcome === 'coalesced' ? 'waiting' : 'final',
  error: null,
})

const rowOfEvent = ({ event_id: id, ...event }: EventJson): LiveRow => ({
  ...event,
  key: id,
  id,
  route: event.route === '' && event.job !== null ? `job ${event.job}` : event.route,
})

/**
 * Puts the state of a run into the row of its event. An event without a row gets none: its row is gone, or its request came before the page
 * was opened.
 */
const withDelivery = (list: LiveList, { event_id, state, error }: DeliveryLine): LiveList => {
  const change = (rows: readonly LiveRow[]): readonly LiveRow[] =>
    rows.some(({ id }) => id !== null && id === event_id) ? rows.map((row) => (row.id === event_id ? { ...row, state, error } : row)) : rows
  return { ...list, rows: change(list.rows), waiting: list.waiting && change(list.waiting) }
}
