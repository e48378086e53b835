/** Opens the event journal of a gateway on a shared store: its records lie in the database, where all gateways read them. */

import type { SharedRecords } from '../../store/shared-records.ts'
import type { BatchWriter, JournalOptions } from '../batch-writer.ts'
import { BatchedJournal } from '../batched-journal.ts'
import type { Journal } from '../record.ts'
import { createWriteErrors } from '../write-errors.ts'

type SharedJournalOptions = JournalOptions & { readonly records: Pick<SharedRecords, 'add'> }

/** Opens the journal. Never rejects: while the database is unavailable, records are dropped, and their number is reported. */
export const openSharedJournal = async (options: SharedJournalOptions): Promise<Journal> => {
  const journal = new BatchedJournal(options, databaseWriter(options.records), createWriteErrors(options))
  await journal.begin()
  return journal
}

/** Returns a writer that only adds. Old records are deleted by one gateway for all gateways on the store (src/gateway/housekeeping.ts). */
const databaseWriter = (records: Pick<SharedRecords, 'add'>): BatchWriter => ({
  async write(batch) {
    const lines = Buffer.concat(batch.linesFrom(0))
    await records.add(lines.subarray(0, -1), batch.lines, batch.raw.slice(0))
  },
  tidy: async () => {},
  eachMinute: () => {},
  close: async () => {},
})
