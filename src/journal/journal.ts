/** The event journal: append-only segments of lines and raw requests. It never fails or delays its caller. */

import { existsSync } from 'node:fs'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import { createByteBudget } from './byte-budget.ts'
import { linesPath } from './folder.ts'
import type { Journal, NewRecord, RawRequest } from './record.ts'
import { createRetention, isFull, type Limits, type Retention } from './retention.ts'
import { deleteSegment, Segment } from './segment.ts'
import { createWriteErrors, type WriteErrors } from './write-errors.ts'
import { createWriteQueue, type WriteBatch, type WriteQueue } from './write-queue.ts'

export type JournalOptions = {
  readonly folder: string
  readonly clock: Clock
  /** Asked at each write, because a reload may change the limits. */
  readonly limits: () => Limits
  /** Called at most once a minute, with the reason why records could not be written. */
  readonly report: (message: string) => void
}

/** How often old segments are looked for when no event arrives. */
const tidyMs = 60_000
/** How long a line waits for further lines to be written with it. */
const gatherMs = 20
/** How long after a failure a new segment is begun. Lines that come before are dropped. */
const retryMs = 1_000

/** Opens the journal of a folder. Never rejects: a journal that cannot write tries again later. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const journal = new SegmentJournal(options)
  await journal.load()
  return journal
}

class SegmentJournal implements Journal {
  readonly #options: JournalOptions
  readonly #retention: Retention
  readonly #complaints: WriteErrors
  readonly #waiting: WriteQueue
  /** The segment being written. The first line after a start, or after a full or failed segment, begins a new segment. */
  #segment: Segment | undefined
  #retryAt = Number.NEGATIVE_INFINITY
  #failure = ''
  /** Settles when nothing is left to write; `undefined` while nothing is being written. */
  #running: Promise<void> | undefined
  #closed = false
  #cancel = (): void => {}
  /** Ends the wait for further lines, so that the waiting lines are written now. */
  #hurry = (): void => {}

  constructor(options: JournalOptions) {
    this.#options = options
    this.#retention = createRetention(options.folder)
    this.#waiting = createWriteQueue(createByteBudget(options.clock.monotonic, () => options.limits().maxBytes))
    this.#complaints = createWriteErrors(options.clock, options.report)
  }

  async load(): Promise<void> {
    await this.#retention.load().catch((error: unknown) => this.#complaints.note(messageOf(error), 0))
    await this.#tidy()
    this.#tick()
  }

  add(entry: NewRecord, raw?: RawRequest): void {
    if (this.#closed) return
    this.#waiting.add(entry, raw)
    this.#begin()
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
    await this.#finish()
  }

  #begin(): void {
    this.#running ??= this.#run()
  }

  /** Writes one batch at a time. Lines that come meanwhile are in the next batch. */
  async #run(): Promise<void> {
    do {
      await this.#gather()
      await this.#writeWaiting()
    } while (!this.#waiting.isEmpty)
    this.#running = undefined
  }

  async #writeWaiting(): Promise<void> {
    await this.#write(this.#waiting.take())
    this.#waiting.release()
    await this.#tidy()
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
    const { lines } = batch
    if (lines === 0) return
    const { folder, clock } = this.#options
    if (clock.monotonic() < this.#retryAt) return this.#complaints.note(this.#failure, lines)
    try {
      this.#segment ??= await Segment.start(folder, this.#retention.nextNumber, clock.monotonic())
      await this.#segment.write(batch, clock.monotonic())
    } catch (error) {
      this.#failure = messageOf(error)
      this.#complaints.note(this.#failure, lines)
      this.#retryAt = clock.monotonic() + retryMs
      await this.#finish()
    }
  }

  /** Ends a full segment, deletes segments past the limits, and reports failures. Never rejects. */
  async #tidy(): Promise<void> {
    const { clock } = this.#options
    const limits = this.#options.limits()
    const segment = this.#segment
    if (segment && isFull(segment, clock.monotonic() - segment.startedAt, limits)) await this.#finish()
    await this.#retention
      .prune(limits, clock.monotonic(), this.#segment ?? { bytes: 0, lines: 0 })
      .catch((error: unknown) => this.#complaints.note(messageOf(error), 0))
    const dropped = this.#waiting.takeDropped()
    if (dropped > 0) this.#complaints.note('too many were waiting to be written', dropped)
    this.#complaints.say()
  }

  /** Ends a segment whose files were removed: nobody would see further lines in them. */
  #giveUp(): void {
    this.#complaints.note('the files of the current segment were removed; a new one is begun', 0)
    void this.#segment?.close()
    this.#segment = undefined
  }

  async #finish(): Promise<void> {
    const segment = this.#segment
    if (!segment) return
    this.#segment = undefined
    await segment.close()
    if (segment.bytes > 0) this.#retention.finish(segment)
    else await deleteSegment(this.#options.folder, segment.name).catch(() => undefined)
  }

  #tick(): void {
    this.#cancel = this.#options.clock.after(tidyMs, () => {
      if (this.#segment && !existsSync(linesPath(this.#options.folder, this.#segment.name))) this.#giveUp()
      this.#begin()
      this.#tick()
    })
  }
}
