/** Reads the journal of a folder. Any process may do that, also while a gateway writes the journal. */

import { type FileHandle, open } from 'node:fs/promises'
import { lookUpEvent, type SearchLines } from './event-lookup.ts'
import type { EventLookup, EventRecords } from './event-records.ts'
import { createFold, type Events, type FoldFilter } from './fold-events.ts'
import { isSegmentName, listSegments, rawPath, unlessGone } from './folder.ts'
import { parseLine } from './line.ts'
import { parseRaw } from './raw.ts'
import type { RawPlace, RawRequest } from './record.ts'
import { linesBackward, linesWith, piecesBackward } from './segments/read-backward.ts'

export const folderRecords = (folder: string): EventRecords => ({
  events: (wanted) => readEvents(folder, wanted),
  event: (id) => readEvent(folder, id),
  eventsOf: async (ids) => (await readEvents(folder, { ids: new Set(ids), limit: ids.length })).events,
  raw: (place) => readRaw(folder, place),
})

/** Reads the newest events that `wanted` lets through. */
export const readEvents = async (folder: string, wanted: FoldFilter): Promise<Events> => {
  const fold = createFold(wanted)
  const segments = await listSegments(folder)
  // A segment that was last written before `since` has no arrivals after that time.
  const recent = segments.filter(({ changedAt }) => wanted.since === undefined || changedAt >= wanted.since)
  for await (const { segment, bytes } of piecesBackward(folder, recent)) {
    for (const line of linesBackward(bytes)) fold.add(parseLine(line.toString('utf8'), segment))
    if (fold.settle()) return fold.result()
  }
  fold.settle()
  if (recent.length === segments.length) fold.settleRest()
  return fold.result()
}

/** Reads one event, by its id, by a prefix of its id, or by its delivery id. */
export const readEvent = (folder: string, id: string): Promise<EventLookup> => lookUpEvent(searchFolder(folder), id)

/**
 * Returns the function that searches all lines of a folder for a text. Once `enough` has returned true for a line, one more piece of lines
 * is searched: the end of a run may have been written before the arrival of its event, and so stands in an older piece.
 */
const searchFolder =
  (folder: string): SearchLines =>
  async (by, text, enough) => {
    const needle = Buffer.from(by === 'delivery' ? JSON.stringify(text) : text)
    let isLast = false
    for await (const { segment, bytes } of piecesBackward(folder, await listSegments(folder))) {
      const wasLast = isLast
      for (const found of linesWith(bytes, needle)) {
        const line = parseLine(found.toString('utf8'), segment)
        if (line && enough(line)) isLast = true
      }
      if (wasLast) return
    }
  }

/** Reads what is stored at one place: a request, or the prompt and reply of an attempt (`EventRecords.raw`). */
export const readRaw = async (folder: string, place: RawPlace): Promise<RawRequest | undefined> => {
  const { raw, close } = openRaw(folder)
  try {
    return await raw(place)
  } finally {
    await close()
  }
}

/**
 * Returns the function that reads what is stored at many places, one after the other, and the function that closes the open file. The file
 * that was read last stays open until another is needed: a search reads thousands of requests in a row.
 */
export const openRaw = (folder: string): Pick<EventRecords, 'raw'> & { close(): Promise<void> } => {
  let last: { readonly segment: string; readonly file: Promise<FileHandle | undefined> } | undefined
  const close = async (): Promise<void> => {
    const before = last
    last = undefined
    await (await before?.file.catch(() => undefined))?.close()
  }
  const opened = async (segment: string): Promise<FileHandle | undefined> => {
    if (last?.segment === segment) return last.file
    const closed = close()
    const file = open(rawPath(folder, segment)).catch(unlessGone)
    last = { segment, file }
    await closed
    return file
  }
  return {
    async raw({ segment, offset, head_bytes, body_bytes }) {
      if (!isSegmentName(segment)) return undefined
      const file = await opened(segment)
      if (!file) return undefined
      const size = head_bytes + body_bytes
      // Checked before memory is taken: a damaged line may name a huge size.
      if ((await file.stat()).size < offset + size) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, offset)
      return bytesRead === size ? parseRaw(buffer, head_bytes) : undefined
    },
    close,
  }
}
