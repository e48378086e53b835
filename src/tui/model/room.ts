/** How much room a screen has on the terminal. */

/** Of a terminal. */
export type Size = { readonly columns: number; readonly rows: number }

/** In cells and rows. */
export type Room = { readonly width: number; readonly height: number }

/** The title and a row below it stand above a screen. */
export const rowsAbove = 2

/** Below a screen are the notice, the hints, and the last row, which stays empty: a full frame would scroll. */
export const roomOf = ({ columns, rows }: Size): Room => ({ width: columns, height: rows - rowsAbove - 3 })

/** A smaller terminal shows a sentence that says so. */
export const least: Size = { columns: 40, rows: 10 }

export const isTooSmall = ({ columns, rows }: Size): boolean => columns < least.columns || rows < least.rows

/** Columns between two panes: a bar with a blank on each side. */
export const barWidth = 3
