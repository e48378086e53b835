/** Opens the event journal of a folder. */

import type { JournalOptions } from './batch-writer.ts'
import { BatchedJournal } from './batched-journal.ts'
import type { Journal } from './record.ts'
import { SegmentWriter } from './segments/segment-writer.ts'
import { createWriteErrors } from './write-errors.ts'

/** Opens a journal that writes to segments in `folder`. Never rejects: a journal that cannot write tries again later. */
export const openJournal = async (options: JournalOptions & { readonly folder: string }): Promise<Journal> => {
  const writeErrors = createWriteErrors(options)
  const writer = new SegmentWriter(options, writeErrors)
  await writer.load()
  const journal = new BatchedJournal(options, writer, writeErrors)
  await journal.begin()
  return journal
}
