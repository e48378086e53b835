/** The places on the payload screen: of the rows of the group that is shown, and of the current payload beside these rows. */

import type { ListArea } from '../../model/list.ts'
import { barWidth, type Room } from '../../model/room.ts'

/** The least width at which the current payload stands beside the list. */
const payloadBesideWidth = 110
/** The number of rows above the list: the groups, and the search or an empty row. */
export const headRows = 2

export type PayloadLayout = {
  readonly list: ListArea
  /** The room of the current payload; `undefined` if it is not shown. */
  readonly body?: Room
}

/** Divides the room of the screen. `cursor`, `length`: the row of the cursor in the list, and the number of its rows. */
export const payloadLayout = (cursor: number, length: number, { width, height }: Room): PayloadLayout => {
  const rest = height - headRows
  if (width < payloadBesideWidth) return { list: { above: headRows, width, height: rest, cursor, length } }
  const left = Math.floor(width * 0.55)
  return {
    list: { above: headRows, width: left, height: rest, cursor, length },
    body: { width: width - left - barWidth, height: rest },
  }
}
