/** The room that a screen has on the terminal. */

export type Size = { readonly columns: number; readonly rows: number }

/** The width in cells and the height in rows. */
export type Room = { readonly width: number; readonly height: number }

/** The number of rows above a screen: the title, and the row below the title. */
export const rowsAbove = 2

/**
 * Returns the room of a screen. Below the screen stand the notice, the hints, and an empty last row: a frame that fills the terminal would
 * make the terminal scroll.
 */
export const roomOf = ({ columns, rows }: Size): Room => ({ width: columns, height: rows - rowsAbove - 3 })

/** The smallest terminal that shows screens. A smaller terminal shows a sentence that says so. */
export const smallestSize: Size = { columns: 40, rows: 10 }

export const isTooSmall = ({ columns, rows }: Size): boolean => columns < smallestSize.columns || rows < smallestSize.rows

/** The number of columns between two panes: a bar with a blank on each side. */
export const barWidth = 3
