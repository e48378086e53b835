/** The places on the live screen: of the list of events, and of the detail of an event. */

import type { ListArea } from '../../model/list.ts'
import { barWidth, type Room } from '../../model/room.ts'

/** The least width at which the detail stands beside the events. */
const detailBesideWidth = 90

export type LiveLayout = {
  readonly isWide: boolean
  readonly list: ListArea
  readonly detail: Room
}

/** Divides the room of the screen. `cursor`, `length`: the row of the cursor in the list, and the number of events. */
export const liveLayout = (cursor: number, length: number, { width, height }: Room): LiveLayout => {
  const isWide = width >= detailBesideWidth
  const left = isWide ? Math.floor(width * 0.45) : width
  const listHeight = isWide ? height : Math.floor(height / 2)
  return {
    isWide,
    list: { above: 1, width: left, height: listHeight - 1, cursor, length },
    detail: isWide ? { width: width - left - barWidth, height } : { width, height: height - listHeight - 1 },
  }
}
