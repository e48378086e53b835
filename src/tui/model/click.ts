/** Finds the row of a list that was clicked, by the place that the model of the screen gives to the list. The view is not asked. */

import { type ListArea, windowStart } from './list.ts'
import { isTooSmall, roomOf, rowsAbove } from './room.ts'
import { type EditorState, type Models, top } from './state.ts'

/** A cell of the terminal; columns and lines count from 0. */
export type Cell = { readonly column: number; readonly line: number }

/** Returns the number of the row at a cell, from 0; `undefined` for a cell outside of the list of the screen that is shown. */
export const clickedRow = (state: EditorState, { column, line }: Cell, models: Models): number | undefined => {
  const { world } = state
  const screen = top(state)
  const area = isTooSmall(world.size) ? undefined : models[screen.kind].list?.(screen, world, roomOf(world.size))
  return area && rowIn(area, { column, line: line - rowsAbove })
}

const rowIn = (area: ListArea, { column, line }: Cell): number | undefined => {
  const { above, width, height, cursor, length } = area
  const isBeside = column < (area.before ?? 0) || column >= (area.before ?? 0) + width || line < above || line >= above + height
  const row = windowStart(cursor, length, height) + line - above
  return isBeside || row >= length ? undefined : row
}
