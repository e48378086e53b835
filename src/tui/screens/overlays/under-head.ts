/** The place of the list on an overlay: below a row with the question or the search, and an empty row. */

import type { ListArea } from '../../model/list.ts'
import type { Room } from '../../model/room.ts'

const headRows = 2

/** Returns the place of the list. The arguments are the overlay's screen, the rows of its list, and the room of the screen. */
export const areaUnderHead = (
  { cursor }: { readonly cursor: number },
  { length }: { readonly length: number },
  { width, height }: Room,
): ListArea => ({ above: headRows, width, height: height - headRows, cursor, length })
