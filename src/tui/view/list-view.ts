/** A list of rows of which a part is shown, and the mark of the row that the cursor is on. */

import { windowStart } from '../model/list.ts'
import { type Line, line, selected, span } from './line.ts'
import type { Room } from './screen-view.ts'

/** The rows around the cursor. The marked one is inverse, and has a `>` before it: meaning is never by colour alone. */
export const listView = (rows: readonly Line[], cursor: number, room: Room, isActive = true): readonly Line[] =>
  longListView(rows, (row) => row, cursor, room, isActive)

/** Of a long list only the lines of the rows that are shown are made. */
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
    return isOn && isActive ? selected(marked, width) : marked
  })
}

/** `3-12 of 40`, where not all rows are shown. */
export const positionOf = (cursor: number, length: number, height: number): string => {
  if (length <= height) return ''
  const start = windowStart(cursor, length, height)
  return `${start + 1}-${Math.min(length, start + height)} of ${length}`
}
