/** Looks up one event among lines: by its id, by the beginning of its id, or by its delivery id. */

import { addLine, type EventHistory, eventView, groupOf, historyOf, isArrival } from './event-history.ts'
import type { EventLookup } from './event-records.ts'
import type { JournalLine } from './line.ts'
import type { Ended } from './record.ts'

/**
 * Calls `enough` with lines, newest first, until `enough` returns true; some further lines may still follow. `event`: all lines of the
 * events whose ids begin with the text. `delivery`: all lines whose delivery id is the text. `group`: the line with the end of this group's
 * run. Unrelated lines may be among these lines.
 */
export type SearchLines = (by: 'event' | 'delivery' | 'group', text: string, enough: (line: JournalLine) => boolean) => Promise<void>

const shortestPrefix = 6
const maxCandidates = 10

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

/** Finds the end of a group's run; `undefined` when the run has not ended. */
const findGroupEnd = async (search: SearchLines, group: string | undefined): Promise<Ended | undefined> => {
  if (group === undefined) return undefined
  let end: Ended | undefined
  await search('group', group, (line) => {
    if (line.entry.kind === 'ended' && line.entry.group === group) end ??= line.entry
    return end !== undefined || (line.entry.event_id === group && isArrival(line))
  })
  return end
}
