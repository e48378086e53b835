/** Where the lines of a journal stand in its folder, and the reading of many lines at once by their places. */

import { type FileHandle, open } from 'node:fs/promises'
import { linesPath, segmentName, unlessGone } from '../folder.ts'
import { type JournalLine, parseLine } from '../line.ts'

/** `segment`: the number of the segment. `offset` and `length`: of the line in the segment's file of lines, in bytes, without line end. */
export type LinePlace = { readonly segment: number; readonly offset: number; readonly length: number }

export type PlacedLine = { readonly place: LinePlace; readonly line: JournalLine }

/** Sorts places from the oldest line to the newest. */
export const byAge = (a: LinePlace, b: LinePlace): number => a.segment - b.segment || a.offset - b.offset

/** Lines that stand nearer to each other than this are read at once, with what is between them. */
const maxGapBytes = 16 * 1024
/** The most bytes that are read at once, except for a single longer line. */
const maxReadBytes = 512 * 1024

/**
 * Reads the lines at these places, oldest first. A line is left out where its segment was deleted or is damaged. The same place may be
 * named twice.
 */
export const readPlacedLines = async (folder: string, places: readonly LinePlace[]): Promise<readonly PlacedLine[]> => {
  const lines: PlacedLine[] = []
  let opened: { readonly segment: number; readonly file: FileHandle | undefined } | undefined
  try {
    for (const near of nearPlaces([...places].sort(byAge))) {
      const { segment, offset: start } = near[0]
      if (opened?.segment !== segment) {
        await opened?.file?.close()
        opened = { segment, file: await open(linesPath(folder, segmentName(segment))).catch(unlessGone) }
      }
      const end = near.reduce((furthest, { offset, length }) => Math.max(furthest, offset + length), start)
      const bytes = Buffer.allocUnsafe(end - start)
      const { bytesRead } = (await opened.file?.read(bytes, 0, end - start, start)) ?? { bytesRead: 0 }
      for (const place of near) {
        const from = place.offset - start
        if (from + place.length > bytesRead) continue
        const line = parseLine(bytes.toString('utf8', from, from + place.length), segmentName(segment))
        if (line) lines.push({ place, line })
      }
    }
  } finally {
    await opened?.file?.close()
  }
  return lines
}

type Near = [LinePlace, ...LinePlace[]]

/** Puts sorted places together that are read at once. */
function* nearPlaces(places: readonly LinePlace[]): Generator<Near> {
  let near: Near | undefined
  for (const place of places) {
    const last = near?.at(-1)
    const isNear =
      near !== undefined &&
      last?.segment === place.segment &&
      place.offset - (last.offset + last.length) <= maxGapBytes &&
      place.offset + place.length - near[0].offset <= maxReadBytes
    if (near && isNear) near.push(place)
    else {
      if (near) yield near
      near = [place]
    }
  }
  if (near) yield near
}
