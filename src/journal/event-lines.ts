/** Reads the lines of chosen events, to carry them to another journal. */

import type { SharedRecords } from '../store/shared-records.ts'
import type { EventRecords } from './event-records.ts'
import { listSegments, segmentName } from './folder.ts'
import { linesForward, piecesForward } from './index/pieces-forward.ts'
import { type JournalLine, parseLine } from './line.ts'
import { openRaw } from './reader.ts'
import { databaseRaw } from './shared/database-records.ts'

/** `of`: yields the lines of the events with these ids; those of one event in their order. Lines that cannot be read are left out. */
export type EventLines = Pick<EventRecords, 'raw'> & {
  of(ids: ReadonlySet<string>): AsyncIterable<JournalLine>
  close(): Promise<void>
}

/** Returns the lines of a folder of segments. The folder is read once for each call of `of`. */
export const folderLines = (folder: string): EventLines => ({
  async *of(ids) {
    if (ids.size === 0) return
    for await (const { position, bytes } of piecesForward(folder, await listSegments(folder), { segment: 0, offset: 0 })) {
      for (const line of linesForward(bytes)) {
        const parsed = parseLine(line.bytes.toString('utf8'), segmentName(position.segment))
        if (parsed && ids.has(parsed.entry.event_id)) yield parsed
      }
    }
  },
  ...openRaw(folder),
})

const eventsPerQuery = 100

export const databaseLines = (records: Pick<SharedRecords, 'linesOf' | 'raw'>): EventLines => ({
  async *of(ids) {
    const all = [...ids]
    for (let from = 0; from < all.length; from += eventsPerQuery) {
      const some = all.slice(from, from + eventsPerQuery)
      let lines = await records.linesOf(some, undefined)
      while (lines.length > 0) {
        for (const { line, batch } of lines) {
          const parsed = parseLine(line, batch)
          if (parsed) yield parsed
        }
        lines = await records.linesOf(some, lines.at(-1))
      }
    }
  },
  raw: databaseRaw(records),
  close: async () => {},
})
