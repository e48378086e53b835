/** Parses a line of the journal, and checks its shape: a crash may have cut a line off, and somebody may have edited the file. */

import { type JsonObject, parseObject } from '../core/json.ts'
import { isJournalLine, isRawPlace } from '../generated/stored-checks.js'
import type { JournalRecord, RawPlace } from './record.ts'

/** A record, and the place of the raw request that was stored with it. */
export type JournalLine = { readonly entry: JournalRecord; readonly raw?: RawPlace }

/**
 * Parses a line. `segment`: the name of the segment (in a shared database, of the batch) that the line and its raw request are in.
 * `undefined`: the line is damaged, or is not a record of this program.
 */
export const parseLine = (line: string, segment: string): JournalLine | undefined => {
  const value = parseObject(line)
  if (!value || !isJournalLine(value)) return undefined
  const entry = value as JsonObject & JournalRecord
  return isRawPlace(value.raw) ? { entry, raw: rawPlaceOf(value.raw as JsonObject & Omit<RawPlace, 'segment'>, segment) } : { entry }
}

const rawPlaceOf = ({ offset, head_bytes, body_bytes }: Omit<RawPlace, 'segment'>, segment: string): RawPlace => ({
  segment,
  offset,
  head_bytes,
  body_bytes,
})
