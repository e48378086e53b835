/** Looks up one event among the lines of a journal: by its id, by the beginning of its id, or by its delivery id. */

import { addLine, type EventHistory, eventView, groupOf, historyOf, isArrival } from './event-history.ts'
import type { EventLookup } from './event-records.ts'
import type { JournalLine } from './line.ts'
import type { RunEndedRecord } from './record.ts'

/**
 * Searches the lines of a journal for `text`, and calls `enough` with each line that is found, newest first, until `enough` returns true;
 * some further lines may still follow. By `event`, all lines of the events whose ids begin with the text are found; by `delivery`, all
 * lines whose delivery id is the text; by `group`, the line with the end of the run of the group with this id. Lines that do not fit may be
 * found too, so `enough` checks each line.
 */
export type SearchLines = (by: 'event' | 'delivery' | 'group', text: string, enough: (line: JournalLine) => boolean) => Promise<void>

/** How many characters of its id are needed at least to look up an event. */
const shortestPrefix = 6
const maxCandidates = 10

/** Looks up the event whose id is or begins with `id`; where there is none, the event whose delivery id is `id`. */
export const lookUpEvent = async (search: SearchLines, id: string): Promise<EventLookup> => {
  const lookup = await lookUpById(search, id)
  if (lookup.kind !== 'unknown' || id === '') return lookup
  const ids = new Set<string>()
  await search('delivery', id, ({ entry }) => {
    if ('delivery_id' in entry && entry.delivery_id === id) ids.add(entry.event_id)
    return ids.size === maxCandidates
  })
  const [only, ...others] = ids
  if (only === undefined) return lookup
  return others.length > 0 ? { kind: 'ambiguous', by: 'delivery id', ids: [...ids] } : lookUpById(search, only)
}

const lookUpById = async (search: SearchLines, id: string): Promise<EventLookup> => {
  if (id.length < shortestPrefix) return { kind: 'unknown' }
  const histories = new Map<string, EventHistory>()
  await search('event', id, (line) => {
    const found = line.entry.event_id
    if (!found.startsWith(id) || (histories.size === maxCandidates && !histories.has(found))) return false
    addLine(historyOf(histories, found), line)
    return found === id && isArrival(line)
  })
  const exact = histories.get(id)
  const [history, ...others] = exact ? [exact] : histories.values()
  if (!history) return { kind: 'unknown' }
  if (others.length > 0) return { kind: 'ambiguous', by: 'id', ids: [...histories.keys()] }
  const event = eventView(history, history.last ? undefined : await findGroupEnd(search, groupOf(history)))
  return event ? { kind: 'found', event } : { kind: 'unknown' }
}

/** Finds the line with the end of a group's run; `undefined` when the run has not ended, or there is no group. */
const findGroupEnd = async (search: SearchLines, group: string | undefined): Promise<RunEndedRecord | undefined> => {
  if (group === undefined) return undefined
  let end: RunEndedRecord | undefined
  // The id of a group is the id of the event that opened it. No end of the group's run is older than the arrival of that event.
  await search('group', group, (line) => {
    if (line.entry.kind === 'ended' && line.entry.group === group) end ??= line.entry
    return end !== undefined || (line.entry.event_id === group && isArrival(line))
  })
  return end
}
