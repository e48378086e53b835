/** Gathers records, and lets a writer store them in batches. To add a record never fails, and never delays the caller. */

import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { BatchWriter, JournalOptions } from './batch-writer.ts'
import { createByteBudget } from './byte-budget.ts'
import type { Journal, NewRecord, RawRequest } from './record.ts'
import type { WriteErrors } from './write-errors.ts'
import { createWriteQueue, type WriteBatch, type WriteQueue } from './write-queue.ts'

const minuteMs = 60_000
/** How long a line waits for further lines to be written with it. */
const gatherMs = 20

export class BatchedJournal implements Journal {
  readonly #clock: Clock
  readonly #writer: BatchWriter
  readonly #complaints: WriteErrors
  readonly #waiting: WriteQueue
  /** Settles when nothing is left to write; `undefined` while nothing is being written. */
  #running: Promise<void> | undefined
  #closed = false
  #cancel = (): void => {}
  /** Ends the wait for further lines, so that the waiting lines are written now. */
  #hurry = (): void => {}

  /** The journal closes the writer. */
  constructor({ clock, limits }: JournalOptions, writer: BatchWriter, complaints: WriteErrors) {
    this.#clock = clock
    this.#writer = writer
    this.#waiting = createWriteQueue(createByteBudget(clock.monotonic, () => limits().maxBytes))
    this.#complaints = complaints
  }

  async begin(): Promise<void> {
    await this.#tidy()
    this.#tick()
  }

  add(entry: NewRecord, raw?: RawRequest): void {
    if (this.#closed) return
    this.#waiting.add(entry, raw)
    this.#run()
    if (this.#waiting.isUrgent) this.#hurry()
  }

  flushed(): Promise<void> {
    if (!this.#running) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.after(resolve)
      this.#hurry()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancel()
    this.#hurry()
    await this.#running
    await this.#writer.close()
  }

  #run(): void {
    this.#running ??= this.#writeAll()
  }

  /** Writes one batch at a time. Lines that come meanwhile are in the next batch. */
  async #writeAll(): Promise<void> {
    do {
      await this.#gather()
      await this.#write(this.#waiting.take())
      this.#waiting.release()
      await this.#tidy()
    } while (!this.#waiting.isEmpty)
    this.#running = undefined
  }

  /** Waits for further lines, because a write costs the loop more than a line does. `flushed` and a full batch end the wait early. */
  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, gatherMs)
      this.#hurry = () => {
        clearTimeout(late)
        this.#hurry = () => {}
        // Lines of this turn of the loop still join the batch.
        setImmediate(resolve)
      }
      if (this.#closed || this.#waiting.isUrgent) this.#hurry()
    })
  }

  async #write(batch: WriteBatch): Promise<void> {
    if (batch.lines === 0) return
    try {
      await this.#writer.write(batch)
    } catch (error) {
      this.#complaints.note(messageOf(error), batch.lines)
    }
  }

  /** Never rejects. */
  async #tidy(): Promise<void> {
    await this.#writer.tidy().catch((error: unknown) => this.#complaints.note(messageOf(error), 0))
    const dropped = this.#waiting.takeDropped()
    if (dropped > 0) this.#complaints.note('too many were waiting to be written', dropped)
    this.#complaints.say()
  }

  #tick(): void {
    this.#cancel = this.#clock.after(minuteMs, () => {
      this.#writer.eachMinute()
      this.#run()
      this.#tick()
    })
  }
}
