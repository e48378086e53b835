/** The rows of live traffic: one for each request, the newest first, which changes as its run goes on. */

import type { EventJson } from '../../../app/events/event-status.ts'
import type { DeliveryLine, OutcomeLine } from '../../../generated/control.ts'
import type { LiveLine } from '../../live-feed.ts'

export type LiveRow = Pick<
  EventJson,
  'at' | 'route' | 'event_type' | 'outcome' | 'stage' | 'reason' | 'status' | 'duration_ms' | 'state' | 'error'
> & {
  readonly key: string
  /** `null` for a refused request that left no record. */
  readonly id: string | null
}

/** `waiting`: rows that came while the list stood still; `null` while it moves. `lost`: how many lines this page was too slow for. */
export type LiveList = {
  readonly rows: readonly LiveRow[]
  readonly waiting: readonly LiveRow[] | null
  readonly lost: number
  /** Why there is no live traffic at present; `null` where there is. */
  readonly off: string | null
}

/** The most rows: as many as one question reads. The screen of all events has the older ones. */
export const maxRows = 200

export const emptyList: LiveList = { rows: [], waiting: null, lost: 0, off: null }

/** Takes a line of the live traffic into the list. */
export const withLine = (list: LiveList, line: LiveLine): LiveList => {
  switch (line.type) {
    case 'outcome':
      return withRow(list, rowOfOutcome(line))
    case 'delivery':
      return withDelivery(list, line)
    case 'lost':
      return { ...list, lost: list.lost + line.lines }
    case 'init':
      return { ...list, off: null }
    case 'end':
    case 'off':
      return { ...list, off: line.reason }
    default:
      return list
  }
}

/** Lets the list stand still, or move again with what came meanwhile. */
export const paused = (list: LiveList, isPaused: boolean): LiveList => {
  if (isPaused) return list.waiting ? list : { ...list, waiting: [] }
  return list.waiting ? { ...list, rows: newest([...list.waiting, ...list.rows]), waiting: null } : list
}

/** Returns how many rows wait, in words. */
export const waitingCount = (waiting: readonly LiveRow[]): string => `${waiting.length}${waiting.length < maxRows ? '' : ' or more'}`

/**
 * Takes recorded events into the list: those from before the page was opened, those of lost lines, and what became of known events. Events
 * that are new to a list that stands still wait.
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

const rowOfOutcome = ({ event_id: id, ...line }: OutcomeLine): LiveRow => ({
  ...line,
  // Refused requests without a record have no id. Two of them in one millisecond differ by their path or reason, or look the same anyway.
  key: id ?? `${line.at} ${line.route} ${line.outcome} ${line.duration_ms}`,
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
 * A step of a run changes the row of its event. An event whose row is gone, or whose request came before the page was opened, gets none.
 */
const withDelivery = (list: LiveList, { event_id, state, error }: DeliveryLine): LiveList => {
  const change = (rows: readonly LiveRow[]): readonly LiveRow[] =>
    rows.some(({ id }) => id !== null && id === event_id) ? rows.map((row) => (row.id === event_id ? { ...row, state, error } : row)) : rows
  return { ...list, rows: change(list.rows), waiting: list.waiting && change(list.waiting) }
}
