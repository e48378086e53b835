/** The place of an overlay's list: below a line and an empty row. */

import type { ListArea } from '../../model/list.ts'
import type { Room } from '../../model/room.ts'

const headRows = 2

export const underHead = (
  { cursor }: { readonly cursor: number },
  { length }: { readonly length: number },
  { width, height }: Room,
): ListArea => ({ above: headRows, width, height: height - headRows, cursor, length })
