/** The contract of a batch writer, which stores the lines of a journal: in a folder (segments/), or in a shared database (shared/). */

import type { Clock } from '../core/clock.ts'
import type { Limits } from './retention.ts'
import type { WriteBatch } from './write-queue.ts'

export type JournalOptions = {
  readonly clock: Clock
  /** Returns how much the journal keeps. Called at each use, because a reload may change the limits. */
  readonly limits: () => Limits
  /**
   * Called with what went wrong since the last call: lines that could not be written or were dropped, or trouble with the files of the
   * journal. At most once a minute, and at the close of the journal for what is still unreported.
   */
  readonly report: (message: string) => void
  /** Called with the number of lines each time that lines could not be written, or were dropped because they were too many or too long. */
  readonly lostLines?: (lines: number) => void
}

/** Stores the lines of a journal, one batch at a time. Each method is called by the journal. */
export interface BatchWriter {
  /** Writes a batch. Rejects when not all lines were written. The next call comes only after the promise has settled. */
  write(batch: WriteBatch): Promise<void>
  /**
   * Does work that may follow the writing, such as the deletion of old lines. Called at the start, and after each batch once the callers of
   * `flushed` have their answer, so that the work delays none of them. May reject.
   */
  tidy(): Promise<void>
  /** Called each minute, for work that does not depend on batches. `tidy` follows soon. */
  eachMinute(): void
  /** Called once, after the last batch. Never rejects. */
  close(): Promise<void>
}
