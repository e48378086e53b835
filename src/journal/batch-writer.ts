/** The contract of what stores a journal's lines, a batch at a time. */

import type { Clock } from '../core/clock.ts'
import type { Limits } from './retention.ts'
import type { WriteBatch } from './write-queue.ts'

export type JournalOptions = {
  readonly clock: Clock
  /** Asked at each write, because a reload may change the limits. */
  readonly limits: () => Limits
  /** Called at most once a minute, with the reason why records could not be written. */
  readonly report: (message: string) => void
}

/** Where a journal's lines go. */
export interface BatchWriter {
  /** Writes a batch. It is not called again before this batch is written. Throws when not all lines were written. */
  write(batch: WriteBatch): Promise<void>
  /** Called after each batch, when nobody waits for its lines any more. May throw. */
  tidy(): Promise<void>
  /** Called each minute, to forget what is past the limits. */
  eachMinute(): void
  /** Never rejects. */
  close(): Promise<void>
}
