/** The place of the list of tests: at most half of the screen, so that the test of the cursor has room below it. */

import type { ListArea } from '../../model/list.ts'
import type { Room } from '../../model/room.ts'

export const listAreaOf = (cursor: number, length: number, { width, height }: Room): ListArea => ({
  above: 0,
  width,
  height: Math.min(length, Math.max(3, Math.floor(height / 2))),
  cursor,
  length,
})
