/** Reads the lines of segments from the newest back, in pieces of bounded size. A file that is deleted meanwhile simply ends early. */

import { type FileHandle, open } from 'node:fs/promises'
import { linesPath, type SegmentFiles, unlessGone } from '../folder.ts'

const pieceBytes = 256 * 1024
/** The longest line that is read. The journal writes no longer lines. */
const maxLineBytes = 1024 * 1024

const newline = 10

/** Some whole lines of the segment with this name. */
export type SegmentPiece = { readonly segment: string; readonly bytes: Buffer }

/** Yields pieces of whole lines, newest first. `segments` are listed oldest first. */
export async function* piecesBackward(folder: string, segments: readonly SegmentFiles[]): AsyncGenerator<SegmentPiece> {
  for (const { name } of segments.toReversed()) {
    for await (const bytes of segmentPieces(folder, name, name === segments.at(-1)?.name)) yield { segment: name, bytes }
  }
}

/** Yields the pieces of one segment. `growing`: the segment may still be written to, so an unfinished line at its end is left out. */
async function* segmentPieces(folder: string, name: string, growing: boolean): AsyncGenerator<Buffer> {
  const file = await open(linesPath(folder, name)).catch(unlessGone)
  if (!file) return
  try {
    let { size: end } = await file.stat()
    /** The end of a line whose beginning stands before the bytes read so far. It is joined to the bytes that are read next. */
    let rest: Buffer = Buffer.alloc(0)
    /** Whether an unfinished line may stand at the end of `bytes`. */
    let mayBeCut = growing
    while (end > 0) {
      const start = Math.max(0, end - pieceBytes)
      const bytes = await readInto(file, start, end, rest)
      if (!bytes) return
      const whole = start === 0 ? 0 : bytes.indexOf(newline) + 1 || bytes.length
      const last = mayBeCut ? bytes.lastIndexOf(newline) + 1 : bytes.length
      if (whole < last) yield bytes.subarray(whole, last)
      rest = bytes.subarray(0, Math.min(whole, last))
      mayBeCut &&= last === 0
      // A line that is too long is dropped. The line end in its place keeps the line before it whole.
      if (rest.length > maxLineBytes) rest = Buffer.of(newline)
      end = start
    }
  } finally {
    await file.close()
  }
}

/** Reads the bytes from `start` to `end`, and joins `rest` to them; `undefined` when the file has become shorter. */
const readInto = async (file: FileHandle, start: number, end: number, rest: Buffer): Promise<Buffer | undefined> => {
  const bytes = Buffer.allocUnsafe(end - start + rest.length)
  const { bytesRead } = await file.read(bytes, 0, end - start, start)
  rest.copy(bytes, end - start)
  return bytesRead === end - start ? bytes : undefined
}

/** Yields the lines of a piece, last first, without their line ends. */
export function* linesBackward(piece: Buffer): Generator<Buffer> {
  let end = piece.length
  while (end > 0) {
    const before = piece[end - 1] === newline ? end - 1 : end
    const start = before === 0 ? 0 : piece.lastIndexOf(newline, before - 1) + 1
    if (start < before) yield piece.subarray(start, before)
    end = start
  }
}

/**
 * Yields the lines of a piece that contain `needle`, last first. Searching the whole piece is quicker than splitting it into lines first.
 */
export function* linesWith(piece: Buffer, needle: Buffer): Generator<Buffer> {
  const found: Buffer[] = []
  for (let at = piece.indexOf(needle); at >= 0; ) {
    const start = piece.lastIndexOf(newline, at) + 1
    const next = piece.indexOf(newline, at)
    const end = next < 0 ? piece.length : next
    found.push(piece.subarray(start, end))
    at = piece.indexOf(needle, end)
  }
  yield* found.reverse()
}
