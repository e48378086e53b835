/** A list of rows of which a part is shown, and the mark of the row that the cursor is on. */

import { widthOf } from '../model/characters.ts'
import { windowStart } from '../model/list.ts'
import { fit, type Line, line, selected, span } from './line.ts'
import type { Room } from './screen-view.ts'

/** The rows around the cursor. The marked one is inverse, and has a `>` before it: meaning is never by colour alone. */
export const listView = (rows: readonly Line[], cursor: number, room: Room, isActive = true): readonly Line[] =>
  longListView(rows, (row) => row, cursor, room, isActive)

/** Of a long list only the lines of the rows that are shown are made. In the active one a click chooses a row. */
export const longListView = <T>(
  rows: readonly T[],
  lineOf: (row: T) => Line,
  cursor: number,
  { width, height }: Room,
  isActive = true,
): readonly Line[] => {
  const start = windowStart(cursor, rows.length, height)
  return rows.slice(start, start + height).map((row, i) => {
    const isOn = start + i === cursor
    const marked = line(span(isOn ? '> ' : '  ', isOn ? 'accent' : 'plain'), ...lineOf(row))
    if (!isActive) return marked
    return (isOn ? selected(marked, width) : fit(marked, width)).map((each) => ({ ...each, row: start + i }))
  })
}

/** The row of a list that a click at a place of the frame means, both from 0. */
export const rowAt = (
  frame: readonly Line[],
  { column, line: at }: { readonly column: number; readonly line: number },
): number | undefined => {
  let end = 0
  return frame[at]?.find(({ text }) => {
    end += widthOf(text)
    return column < end
  })?.row
}

/** The lines from the one on to which they are scrolled, so that the last ones fill the height. */
export const scrolledTo = (lines: readonly Line[], scroll: number, height: number): readonly Line[] =>
  lines.slice(Math.min(scroll, Math.max(0, lines.length - height)))

/** `3-12 of 40`, where not all rows are shown. */
export const positionOf = (cursor: number, length: number, height: number): string => {
  if (length <= height) return ''
  const start = windowStart(cursor, length, height)
  return `${start + 1}-${Math.min(length, start + height)} of ${length}`
}
