/** Parses and checks a line of the journal. A crash may have cut a line off, and somebody may have edited it. */

import { type JsonObject, parseObject } from '../core/json.ts'
import { isJournalLine, isRawPlace } from '../generated/stored-checks.js'
import type { JournalRecord, RawPlace } from './record.ts'

export type JournalLine = { readonly entry: JournalRecord; readonly raw?: RawPlace }

/** Parses a line. `segment`: where its raw request lies. `undefined`: the line is damaged, or is not a record of this program. */
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
