/** Reads what was added to the segments of a journal since a place, oldest first, in pieces of bounded size. */

import { type FileHandle, open } from 'node:fs/promises'
import { linesPath, type SegmentFiles, unlessGone } from '../folder.ts'

const pieceBytes = 256 * 1024
/** The longest line. What is longer is no line of the journal. */
const maxLineBytes = 1024 * 1024
const newline = 10

/** A place between two lines. */
export type Position = { readonly segment: number; readonly offset: number }

/** Some whole lines. `position`: where the first of them begins. */
export type ForwardPiece = { readonly position: Position; readonly bytes: Buffer }

/**
 * Yields the pieces from a position to the end of the segments, as these were when they were listed (oldest first). An unfinished line at
 * the end of the last segment is left out, because that segment may still be written to.
 */
export async function* piecesForward(folder: string, segments: readonly SegmentFiles[], from: Position): AsyncGenerator<ForwardPiece> {
  for (const { name, lineBytes } of segments) {
    const segment = Number(name)
    const offset = segment === from.segment ? from.offset : 0
    if (segment < from.segment || offset >= lineBytes) continue
    const file = await open(linesPath(folder, name)).catch(unlessGone)
    if (!file) continue
    try {
      yield* piecesOf(file, segment, offset, lineBytes, name === segments.at(-1)?.name)
    } finally {
      await file.close()
    }
  }
}

async function* piecesOf(file: FileHandle, segment: number, from: number, end: number, isGrowing: boolean): AsyncGenerator<ForwardPiece> {
  let size = pieceBytes
  for (let offset = from; offset < end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(size, end - offset))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset)
    if (bytesRead < bytes.length) return
    const isEnd = offset + bytesRead === end
    // A segment that is not written to any more has all its lines, also where the last was cut off.
    const whole = isEnd && !isGrowing ? bytesRead : bytes.lastIndexOf(newline) + 1
    if (whole === 0 && isEnd) return
    if (whole === 0 && size <= maxLineBytes) {
      size *= 4
      continue
    }
    if (whole > 0) yield { position: { segment, offset }, bytes: bytes.subarray(0, whole) }
    offset += whole || bytesRead
    size = pieceBytes
  }
}

/** Yields the lines of a piece, first to last, with the offset of each in the piece, without its line end. */
export function* linesForward(piece: Buffer): Generator<{ readonly offset: number; readonly bytes: Buffer }> {
  for (let start = 0; start < piece.length; ) {
    const next = piece.indexOf(newline, start)
    const end = next < 0 ? piece.length : next
    if (end > start) yield { offset: start, bytes: piece.subarray(start, end) }
    start = end + 1
  }
}
