/** A journal that gathers records in memory, and has a writer store them in batches. Adding a record never fails or delays the caller. */

import { type Clock, minuteMs, systemClock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import { type Repeating, repeat } from '../core/turns/repeat.ts'
import { nextTurn } from '../core/turns/taking-turns.ts'
import type { BatchWriter, JournalOptions } from './batch-writer.ts'
import { createByteBudget } from './byte-budget.ts'
import type { Journal, NewRecord, RawRequest } from './record.ts'
import type { WriteErrors } from './write-errors.ts'
import { createWriteQueue, type WriteBatch, type WriteQueue } from './write-queue.ts'

/** How long a line waits at most for further lines to be written with it, in milliseconds. */
const gatherMs = 20

export class BatchedJournal implements Journal {
  readonly #clock: Clock
  readonly #writer: BatchWriter
  /** Reports lines that could not be written, at most once a minute. */
  readonly #writeErrors: WriteErrors
  readonly #waiting: WriteQueue
  /** Settles when nothing is left to write; `undefined` while nothing is being written. */
  #running: Promise<void> | undefined
  #closed = false
  #minutes: Repeating | undefined
  /** Ends the wait for further lines, so that the waiting lines are written now. */
  #hurry = (): void => {}

  /** The new journal owns `writer`, and closes it. */
  constructor({ clock, limits }: JournalOptions, writer: BatchWriter, writeErrors: WriteErrors) {
    this.#clock = clock
    this.#writer = writer
    this.#waiting = createWriteQueue(createByteBudget(clock.monotonic, () => limits().maxBytes))
    this.#writeErrors = writeErrors
  }

  /** Lets the writer delete what is past the limits, and starts the timer of each minute. Called once, before the first record. */
  async begin(): Promise<void> {
    await this.#tidy()
    this.#minutes = repeat(this.#clock, minuteMs, () => {
      this.#writer.eachMinute()
      this.#run()
    })
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
    void this.#minutes?.stop()
    this.#hurry()
    await this.#running
    this.#writeErrors.say(true)
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

  /**
   * Waits for further lines, because a write costs the event loop more than a line does. A caller of `flushed`, a batch with enough bytes,
   * and `close` end the wait early.
   */
  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemClock.after(gatherMs, resolve)
      this.#hurry = () => {
        cancel()
        this.#hurry = () => {}
        // Lines that are added later in this turn of the event loop still join the batch.
        void nextTurn().then(resolve)
      }
      if (this.#closed || this.#waiting.isUrgent) this.#hurry()
    })
  }

  async #write(batch: WriteBatch): Promise<void> {
    if (batch.lines === 0) return
    try {
      await this.#writer.write(batch)
    } catch (error) {
      this.#writeErrors.note(messageOf(error), batch.lines)
    }
  }

  /** Has the writer delete what is past its limits, and reports lines that were dropped or not written. Never rejects. */
  async #tidy(): Promise<void> {
    await this.#writer.tidy().catch((error: unknown) => this.#writeErrors.note(messageOf(error), 0))
    const dropped = this.#waiting.takeDropped()
    if (dropped > 0) this.#writeErrors.note('too many were waiting to be written', dropped)
    this.#writeErrors.say()
  }
}
