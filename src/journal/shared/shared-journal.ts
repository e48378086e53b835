/** Opens the event journal of a gateway on a shared store: its records lie in the database, where all gateways read them. */

import { messageOf } from '../../core/fault.ts'
import type { SharedRecords } from '../../store/shared-records.ts'
import type { BatchWriter, JournalOptions } from '../batch-writer.ts'
import { BatchedJournal } from '../batched-journal.ts'
import type { Journal } from '../record.ts'
import { createWriteErrors } from '../write-errors.ts'

type SharedJournalOptions = JournalOptions & { readonly records: SharedRecords }

/** Never rejects: while the database is away, records are dropped, and their number is reported. */
export const openSharedJournal = async (options: SharedJournalOptions): Promise<Journal> => {
  const complaints = createWriteErrors(options.clock, options.report)
  const journal = new BatchedJournal(
    options,
    databaseWriter(options, (reason) => complaints.note(reason, 0)),
    complaints,
  )
  await journal.begin()
  return journal
}

const databaseWriter = ({ records, limits }: SharedJournalOptions, failed: (reason: string) => void): BatchWriter => {
  let pruning: Promise<void> | undefined
  return {
    async write(batch) {
      const lines = Buffer.concat(batch.linesFrom(0))
      await records.add(lines.subarray(0, -1), batch.lines, batch.raw.slice(0))
    },
    tidy: async () => {},
    eachMinute() {
      // Lines must not wait for the pruning, which may have much to delete.
      pruning ??= records
        .prune(limits())
        .catch((error: unknown) => failed(`cannot forget old records: ${messageOf(error)}`))
        .finally(() => {
          pruning = undefined
        })
    },
    close: async () => pruning,
  }
}
