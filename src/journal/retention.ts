/** Decides when a segment is full, and which finished segments are deleted. */

import { open } from 'node:fs/promises'
import { linesPath, listSegments, type SegmentFiles, unlessGone } from './folder.ts'
import { deleteSegment } from './segments/segment.ts'

/** The most that the journal keeps. The segment being written may exceed it. */
export type Limits = { readonly maxAgeMs: number; readonly maxBytes: number; readonly maxEvents: number }

/** The size of a segment. */
export type SegmentSize = { readonly bytes: number; readonly lines: number }

const mib = 1024 * 1024

/** Whether a segment is full: at a sixteenth of the limits, so that deleting a segment deletes little. */
export const isFull = ({ bytes, lines }: SegmentSize, ageMs: number, { maxAgeMs, maxBytes, maxEvents }: Limits): boolean =>
  bytes > Math.max(mib, Math.min(64 * mib, maxBytes / 16)) ||
  lines > Math.max(1_000, maxEvents / 16) ||
  ageMs > Math.max(60_000, maxAgeMs / 16)

type Finished = SegmentSize & { readonly name: string; readonly changedAt: number }

export interface Retention {
  /** The number for the next segment. */
  readonly nextNumber: number
  /** Lists the segments of earlier processes. */
  load(): Promise<void>
  finish(segment: Finished): void
  /** Deletes the oldest finished segments while they are too old, or too large together with the `current` segment. */
  prune(limits: Limits, now: number, current: SegmentSize): Promise<void>
}

export const createRetention = (folder: string): Retention => {
  const finished: Finished[] = []
  let bytes = 0
  let lines = 0
  let last = 0

  const finish = (segment: Finished): void => {
    finished.push(segment)
    bytes += segment.bytes
    lines += segment.lines
    last = Math.max(last, Number(segment.name))
  }

  const isOver = (limits: Limits, now: number, current: SegmentSize, oldest: Finished): boolean =>
    bytes + current.bytes > limits.maxBytes || lines + current.lines > limits.maxEvents || oldest.changedAt < now - limits.maxAgeMs

  return {
    get nextNumber() {
      return last + 1
    },
    async load() {
      // A segment that cannot be read counts as no lines, and is deleted when it is too old.
      for (const segment of await listSegments(folder)) finish({ ...segment, lines: await estimateLines(folder, segment).catch(() => 0) })
    },
    finish,
    async prune(limits, now, current) {
      for (let oldest = finished[0]; oldest && isOver(limits, now, current, oldest); oldest = finished[0]) {
        // Taken off the list before it is deleted, so that a segment that cannot be deleted does not block the others.
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
 * Counts the lines of a small file. For a larger file it estimates them from the beginning, because counting a gigabyte would delay the
 * start.
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
