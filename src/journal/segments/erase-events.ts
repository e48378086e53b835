/**
 * Erases events from the segments of a journal, also while a gateway appends to them: the bytes are overwritten in place, so every other
 * line and request stays where it is, and a process that has a file open can go on using it.
 */

import { type FileHandle, open } from 'node:fs/promises'
import { type ErasedEvents, erasedLine, isErasedLine } from '../erased-line.ts'
import { linesPath, listSegments, rawPath, unlessGone } from '../folder.ts'
import { parseLine } from '../line.ts'
import type { JournalRecord, RawPlace } from '../record.ts'

const pieceBytes = 256 * 1024
const maxLineBytes = 1024 * 1024
const newline = 10

/**
 * Erases the raw requests, prompts and replies of these events, and from their lines the texts of senders, agents and targets. Ids, routes,
 * outcomes and times stay. Resolves to the ids of all other events whose runs had texts of these events (`carriers`), when the change is on
 * the disk. After a crash it can be called again with the same events.
 */
export const eraseFromSegments = async (folder: string, events: ErasedEvents): Promise<ReadonlySet<string>> => {
  // Only the last line of a run, that of its end, names the group of the run. So the newest segments are read first.
  const carriers = new Set(events.carriers)
  for (const { name } of (await listSegments(folder)).toReversed()) {
    const lines = await open(linesPath(folder, name), 'r+').catch(unlessGone)
    if (!lines) continue
    const raw = await open(rawPath(folder, name), 'r+').catch(unlessGone)
    try {
      for await (const { entry } of linesOf(lines, name)) if (isEndOf(entry, events.groups)) carriers.add(entry.event_id)
      await eraseLines(name, { lines, raw }, ({ entry }) => isErasedLine(entry, { ids: events.ids, carriers }))
      await lines.datasync()
    } finally {
      await lines.close()
      await raw?.close()
    }
  }
  return carriers
}

const isEndOf = (entry: JournalRecord, groups: ReadonlySet<string>): boolean =>
  entry.kind === 'ended' && entry.group !== undefined && groups.has(entry.group)

type OpenSegment = { readonly lines: FileHandle; readonly raw: FileHandle | undefined }

const eraseLines = async (name: string, { lines, raw }: OpenSegment, isErased: (line: PlacedLine) => boolean): Promise<void> => {
  for await (const line of linesOf(lines, name)) {
    if (!isErased(line)) continue
    // The raw bytes first: while the line is as it was, a repeated erasure finds them.
    if (raw && line.raw) await wipe(raw, line.raw)
    await overwrite(lines, line)
  }
}

type PlacedLine = { readonly entry: JournalRecord; readonly raw?: RawPlace; readonly at: number; readonly bytes: number }

/** Reads the lines of a segment, oldest first, with their offsets and lengths in bytes. An unfinished line at the end is left out. */
async function* linesOf(file: FileHandle, segment: string): AsyncGenerator<PlacedLine> {
  let rest = Buffer.alloc(0)
  let restAt = 0
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
    let from = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const line = parseLine(bytes.toString('utf8', from, end), segment)
      if (line) yield { ...line, at: restAt + from, bytes: end - from }
      from = end + 1
    }
    // The journal writes no line this long, so its beginning is dropped. What is left of it does not parse, and is skipped.
    if (bytes.length - from > maxLineBytes) from = bytes.length
    rest = bytes.subarray(from)
    restAt += from
  }
}

const wipe = async (raw: FileHandle, { offset, head_bytes, body_bytes }: RawPlace): Promise<void> => {
  const end = Math.min(offset + head_bytes + body_bytes, (await raw.stat()).size)
  for (let at = offset; at < end; at += pieceBytes) await raw.write(Buffer.alloc(Math.min(pieceBytes, end - at)), 0, undefined, at)
  await raw.datasync()
}

/** Overwrites the line in its place: the texts of senders, agents and targets are removed, and blanks fill the line to its old length. */
const overwrite = async (lines: FileHandle, { entry, at, bytes }: PlacedLine): Promise<void> => {
  const line = Buffer.from(erasedLine(entry))
  // Members were only taken out or emptied, so the new line fits. Should it ever not fit, blanks are written alone: they are no record.
  const blanks = Buffer.alloc(bytes, ' ')
  if (line.length <= bytes) line.copy(blanks)
  await lines.write(blanks, 0, bytes, at)
}
