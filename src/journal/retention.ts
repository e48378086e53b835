/** Decides when a segment is full, and deletes the oldest finished segments when the journal is past its limits. */

import { open } from 'node:fs/promises'
import { linesPath, listSegments, type SegmentFiles, unlessGone } from './folder.ts'
import { deleteSegment } from './segments/segment.ts'

/** How much the journal keeps at most. `maxEvents` counts lines. The segment being written may exceed these limits. */
export type Limits = { readonly maxAgeMs: number; readonly maxBytes: number; readonly maxEvents: number }

export type SegmentSize = { readonly bytes: number; readonly lines: number }

const mib = 1024 * 1024

/**
 * Whether a segment is full: past a sixteenth of one of the limits, so that deleting one segment deletes only a small part of the journal.
 * The sixteenth counts as at least 1 MiB, 1000 lines and one minute, and as at most 64 MiB.
 */
export const isFull = ({ bytes, lines }: SegmentSize, ageMs: number, { maxAgeMs, maxBytes, maxEvents }: Limits): boolean =>
  bytes > Math.max(mib, Math.min(64 * mib, maxBytes / 16)) ||
  lines > Math.max(1_000, maxEvents / 16) ||
  ageMs > Math.max(60_000, maxAgeMs / 16)

/**
 * A segment that is no longer written to. `changedAt`: when it was last written to, in milliseconds since 1970, by the monotonic clock or
 * as the file system has it.
 */
type FinishedSegment = SegmentSize & { readonly name: string; readonly changedAt: number }

/** The list of the finished segments of a folder. */
export interface SegmentRetention {
  readonly nextNumber: number
  /** Adds the segments that earlier processes left in the folder. */
  load(): Promise<void>
  finish(segment: FinishedSegment): void
  /**
   * Deletes finished segments, the oldest first, while the oldest is too old or the journal too large. `now`: the monotonic time, in
   * milliseconds. `current`: the size of the segment being written, which counts too.
   */
  prune(limits: Limits, now: number, current: SegmentSize): Promise<void>
}

export const createRetention = (folder: string): SegmentRetention => {
  const finished: FinishedSegment[] = []
  let bytes = 0
  let lines = 0
  let last = 0

  const finish = (segment: FinishedSegment): void => {
    finished.push(segment)
    bytes += segment.bytes
    lines += segment.lines
    last = Math.max(last, Number(segment.name))
  }

  const isOver = (limits: Limits, now: number, current: SegmentSize, oldest: FinishedSegment): boolean =>
    bytes + current.bytes > limits.maxBytes || lines + current.lines > limits.maxEvents || oldest.changedAt < now - limits.maxAgeMs

  return {
    get nextNumber() {
      return last + 1
    },
    async load() {
      // A segment that cannot be read counts with its bytes and without lines, and is deleted like any other.
      for (const segment of await listSegments(folder)) finish({ ...segment, lines: await estimateLines(folder, segment).catch(() => 0) })
    },
    finish,
    async prune(limits, now, current) {
      for (let oldest = finished[0]; oldest && isOver(limits, now, current, oldest); oldest = finished[0]) {
        // A segment is taken off the list before it is deleted, so that a segment that cannot be deleted does not block the others.
        finished.shift()
        bytes -= oldest.bytes
        lines -= oldest.lines
        await deleteSegment(folder, oldest.name)
      }
    },
  }
}

const sampleBytes = 64 * 1024

/**
 * Returns the number of lines of a segment. For a file longer than `sampleBytes` the number is an estimate from the beginning of the file,
 * because counting the lines of a gigabyte would delay the start.
 */
const estimateLines = async (folder: string, { name, lineBytes }: SegmentFiles): Promise<number> => {
  const file = await open(linesPath(folder, name)).catch(unlessGone)
  if (!file) return 0
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(sampleBytes), 0, sampleBytes, 0)
    const sampled = countLines(buffer.subarray(0, bytesRead))
    return bytesRead === 0 ? 0 : Math.round((sampled * lineBytes) / bytesRead)
  } finally {
    await file.close()
  }
}

const countLines = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
  return count
}
