/** Reads the journal, from any process and while it is written: the newest events, one event by its id, and raw requests. */

import { open } from 'node:fs/promises'
import { isObject, type Json } from '../core/json.ts'
import { addLine, type EventHistory, eventView, groupOf, historyOf, isArrival } from './event-history.ts'
import { createFold, type EventFilter, type Events } from './fold-events.ts'
import { isSegmentName, listSegments, rawPath, unlessGone } from './folder.ts'
import { type JournalLine, parseLine } from './line.ts'
import { linesBackward, linesWith, piecesBackward } from './read-backward.ts'
import type { Ended, EventView, RawPlace, RawRequest } from './record.ts'

/** Reads the newest events. Events without a line of arrival are among them only when all segments were read. */
export const readEvents = async (folder: string, wanted: EventFilter): Promise<Events> => {
  const tally = createFold(wanted)
  const segments = await listSegments(folder)
  // A segment that was last written before `since` has no later arrivals.
  const recent = segments.filter(({ changedAt }) => wanted.since === undefined || changedAt >= wanted.since)
  for await (const { segment, bytes } of piecesBackward(folder, recent)) {
    for (const line of linesBackward(bytes)) tally.add(parseLine(line, segment))
    if (tally.settle()) return tally.result()
  }
  tally.settle()
  if (recent.length === segments.length) tally.settleRest()
  return tally.result()
}

/** The result of looking up an event. `ambiguous`: several events match; `ids` has the newest ten. */
export type EventLookup =
  | { readonly kind: 'found'; readonly event: EventView }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ambiguous'; readonly by: 'id' | 'delivery id'; readonly ids: readonly string[] }

const shortestPrefix = 6
const maxCandidates = 10

/** Reads one event by its id, by a prefix of six or more characters that no other id has, or by its delivery id. */
export const readEvent = async (folder: string, id: string): Promise<EventLookup> => {
  const lookup = await readById(folder, id)
  if (lookup.kind !== 'unknown' || id === '') return lookup
  const ids = new Set<string>()
  await searchLines(folder, JSON.stringify(id), ({ entry }) => {
    if ('delivery_id' in entry && entry.delivery_id === id) ids.add(entry.event_id)
    return ids.size === maxCandidates
  })
  const [only, ...others] = ids
  if (only === undefined) return lookup
  return others.length > 0 ? { kind: 'ambiguous', by: 'delivery id', ids: [...ids] } : readById(folder, only)
}

const readById = async (folder: string, id: string): Promise<EventLookup> => {
  if (id.length < shortestPrefix) return { kind: 'unknown' }
  const histories = new Map<string, EventHistory>()
  await searchLines(folder, id, (line) => {
    const found = line.entry.event_id
    if (!found.startsWith(id) || (histories.size === maxCandidates && !histories.has(found))) return false
    addLine(historyOf(histories, found), line)
    return found === id && isArrival(line)
  })
  const exact = histories.get(id)
  const [history, ...others] = exact ? [exact] : histories.values()
  if (!history) return { kind: 'unknown' }
  if (others.length > 0) return { kind: 'ambiguous', by: 'id', ids: [...histories.keys()] }
  const event = eventView(history, history.last ? undefined : await readGroupEnd(folder, groupOf(history)))
  return event ? { kind: 'found', event } : { kind: 'unknown' }
}

/** Reads the end of a group's run; `undefined` when the run has not ended. */
const readGroupEnd = async (folder: string, group: string | undefined): Promise<Ended | undefined> => {
  if (group === undefined) return undefined
  let end: Ended | undefined
  await searchLines(folder, group, (line) => {
    if (line.entry.kind === 'ended' && line.entry.group === group) end ??= line.entry
    return end !== undefined || (line.entry.event_id === group && isArrival(line))
  })
  return end
}

/**
 * Calls `enough` with the lines that contain a text, newest first. Once `enough` returns true, one more piece is read: the end of a run may
 * have been written before the line of its arrival.
 */
const searchLines = async (folder: string, text: string, enough: (line: JournalLine) => boolean): Promise<void> => {
  const needle = Buffer.from(text)
  let isLast = false
  for await (const { segment, bytes } of piecesBackward(folder, await listSegments(folder))) {
    const wasLast = isLast
    for (const found of linesWith(bytes, needle)) {
      const line = parseLine(found, segment)
      if (line && enough(line)) isLast = true
    }
    if (wasLast) return
  }
}

/** Reads a stored request, its body byte for byte; `undefined` when it was deleted or is not complete. */
export const readRaw = async (folder: string, { segment, offset, head_bytes, body_bytes }: RawPlace): Promise<RawRequest | undefined> => {
  if (!isSegmentName(segment)) return undefined
  const file = await open(rawPath(folder, segment)).catch(unlessGone)
  if (!file) return undefined
  try {
    const size = head_bytes + body_bytes
    // Checked before memory is taken: a damaged line may name a huge size.
    if ((await file.stat()).size < offset + size) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, offset)
    const headers = bytesRead === size ? parseHead(buffer.subarray(0, head_bytes)) : undefined
    return headers && { headers, body: buffer.subarray(head_bytes) }
  } finally {
    await file.close()
  }
}

const parseHead = (bytes: Buffer): RawRequest['headers'] | undefined => {
  try {
    const head: Json = JSON.parse(bytes.toString('utf8'))
    return isObject(head) ? head : undefined
  } catch {
    return undefined
  }
}
