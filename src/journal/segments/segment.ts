/** Writes one segment: a file of lines, and a file of the raw requests that the lines point to. Both files are only appended to. */

import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { codeOf } from '../../core/fault.ts'
import { linesPath, rawPath, segmentName, unlessGone } from '../folder.ts'
import type { WriteBatch } from '../write-queue.ts'

/** The most numbers that are skipped for a new segment. A number is skipped when files with that number exist. */
const maxTaken = 100

export class Segment {
  readonly name: string
  /** When the segment was begun, on the monotonic clock, in milliseconds. */
  readonly startedAt: number
  readonly #lines: FileHandle
  readonly #raw: FileHandle
  #lineBytes = 0
  #rawBytes = 0
  lines = 0
  /** When the segment was last written to, on the monotonic clock, in milliseconds. */
  changedAt = 0

  private constructor(name: string, startedAt: number, lines: FileHandle, raw: FileHandle) {
    this.name = name
    this.startedAt = startedAt
    this.#lines = lines
    this.#raw = raw
  }

  /** Begins a segment: creates its two files, with the first free number from `number` on, and the folder where it is missing. */
  static async start(folder: string, number: number, startedAt: number): Promise<Segment> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (let next = number; ; next++) {
      try {
        const name = segmentName(next)
        return new Segment(name, startedAt, ...(await createFiles(folder, name)))
      } catch (error) {
        const taken = codeOf(error) === 'EEXIST'
        if (!taken || next - number >= maxTaken) throw error
      }
    }
  }

  get bytes(): number {
    return this.#lineBytes + this.#rawBytes
  }

  /**
   * Appends a batch at the time `now`, on the monotonic clock. Raw requests are written before lines, so that a line never points to
   * missing bytes. Throws when not everything was written.
   */
  async write(batch: WriteBatch, now: number): Promise<void> {
    this.changedAt = now
    const lines = batch.linesFrom(this.#rawBytes)
    if (batch.raw.length > 0) await this.#append(this.#raw, [batch.raw.slice(0)])
    await this.#append(this.#lines, lines)
    this.lines += batch.lines
  }

  async #append(file: FileHandle, buffers: Buffer[]): Promise<void> {
    const { bytesWritten } = await file.writev(buffers)
    if (file === this.#raw) this.#rawBytes += bytesWritten
    else this.#lineBytes += bytesWritten
    // The system gives no reason for a short write. The next write, to another segment, fails with the reason.
    if (bytesWritten < totalBytes(buffers)) throw new Error('only a part could be written')
  }

  /** Closes both files. Never rejects: lines that were written stay written even when closing fails. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#lines.close(), this.#raw.close()])
  }
}

const totalBytes = (buffers: readonly Buffer[]): number => buffers.reduce((sum, { length }) => sum + length, 0)

const createFiles = async (folder: string, name: string): Promise<[lines: FileHandle, raw: FileHandle]> => {
  const raw = await open(rawPath(folder, name), 'ax', 0o600)
  try {
    return [await open(linesPath(folder, name), 'ax', 0o600), raw]
  } catch (error) {
    await raw.close()
    await unlink(rawPath(folder, name))
    throw error
  }
}

/** Deletes the files of a segment: the lines before the raw requests, so that no line points to a deleted file. */
export const deleteSegment = async (folder: string, name: string): Promise<void> => {
  await unlink(linesPath(folder, name)).catch(unlessGone)
  await unlink(rawPath(folder, name)).catch(unlessGone)
}
