/**
 * Writes a journal to a folder, as a row of segments: begins and ends segments, and deletes the oldest while the journal is past its
 * limits.
 */

import { existsSync } from 'node:fs'
import { messageOf } from '../../core/fault.ts'
import type { BatchWriter, JournalOptions } from '../batch-writer.ts'
import { linesPath } from '../folder.ts'
import { createRetention, isFull, type SegmentRetention } from '../retention.ts'
import type { WriteErrors } from '../write-errors.ts'
import type { WriteBatch } from '../write-queue.ts'
import { deleteSegment, Segment } from './segment.ts'

/** The least time between a failed write and the next try, in milliseconds. Lines that come in between are dropped. */
const retryMs = 1_000

type SegmentWriterOptions = Pick<JournalOptions, 'clock' | 'limits'> & { readonly folder: string }

export class SegmentWriter implements BatchWriter {
  readonly #options: SegmentWriterOptions
  readonly #writeErrors: WriteErrors
  readonly #retention: SegmentRetention
  /** The segment being written. The first line after a start, or after a full or failed segment, begins a new segment. */
  #segment: Segment | undefined
  /** The earliest time of the next write after a failure, on the monotonic clock. */
  #retryAt = Number.NEGATIVE_INFINITY
  #failure = ''

  constructor(options: SegmentWriterOptions, writeErrors: WriteErrors) {
    this.#options = options
    this.#writeErrors = writeErrors
    this.#retention = createRetention(options.folder)
  }

  /** Lists the segments of earlier processes. Never rejects. */
  async load(): Promise<void> {
    await this.#retention.load().catch((error: unknown) => this.#writeErrors.note(messageOf(error), 0))
  }

  async write(batch: WriteBatch): Promise<void> {
    const { folder, clock } = this.#options
    if (clock.monotonic() < this.#retryAt) throw new Error(this.#failure)
    try {
      this.#segment ??= await Segment.start(folder, this.#retention.nextNumber, clock.monotonic())
      await this.#segment.write(batch, clock.monotonic())
    } catch (error) {
      this.#failure = messageOf(error)
      this.#retryAt = clock.monotonic() + retryMs
      await this.close()
      throw error
    }
  }

  /** Ends a full segment, and deletes the oldest segments while the journal is past its limits. */
  async tidy(): Promise<void> {
    const { clock } = this.#options
    const limits = this.#options.limits()
    const segment = this.#segment
    if (segment && isFull(segment, clock.monotonic() - segment.startedAt, limits)) await this.close()
    await this.#retention.prune(limits, clock.monotonic(), this.#segment ?? { bytes: 0, lines: 0 })
  }

  /** Ends the current segment where its files were removed from the folder: nobody could read further lines in them. */
  eachMinute(): void {
    if (!this.#segment || existsSync(linesPath(this.#options.folder, this.#segment.name))) return
    this.#writeErrors.note('the files of the current segment were removed; a new one is begun', 0)
    void this.#segment.close()
    this.#segment = undefined
  }

  /** Ends the current segment. The next write begins a new segment. */
  async close(): Promise<void> {
    const segment = this.#segment
    if (!segment) return
    this.#segment = undefined
    await segment.close()
    if (segment.bytes > 0) this.#retention.finish(segment)
    else await deleteSegment(this.#options.folder, segment.name).catch(() => undefined)
  }
}
