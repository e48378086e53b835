/** The place of the list of tests: about the upper half of the screen at most, because the test of the cursor is shown below the list. */

import type { ListArea } from '../../model/list.ts'
import type { Room } from '../../model/room.ts'

/** Returns the place of the list. `cursor`, `length`: the row of the cursor in the list, and the number of tests. */
export const testListArea = (cursor: number, length: number, { width, height }: Room): ListArea => ({
  above: 0,
  width,
  height: Math.min(length, Math.max(3, Math.floor(height / 2))),
  cursor,
  length,
})
