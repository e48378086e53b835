/** The terminal as Ink gets it: what Ink writes for a frame is shown at once, and from the right row on. */

import { EventEmitter } from 'node:events'
import type { Size } from '../model/room.ts'
import { beginUpdate, clear, endUpdate, moveTo } from './modes.ts'

export type InkOutput = {
  /** For Ink's option of this name. */
  readonly stdout: NodeJS.WriteStream
  /** What Ink writes from now on is dropped. */
  close(): void
}

/** `isOurs`: no other program has the terminal. `shown`: a text as the terminal gets it. */
export const inkOutput = (
  stdout: Pick<NodeJS.WriteStream, 'write'>,
  { columns, rows }: Size,
  isOurs: () => boolean,
  shown: (text: string) => string,
): InkOutput => {
  let isFirst = true
  let isClosed = false
  const write = (text: string): boolean => {
    if (isClosed || text === '' || !isOurs()) return true
    // Ink 6 goes up one row too few before it draws rows anew, for it counts on a frame that fills the terminal, and clears the whole terminal for such a frame.
    const start = isFirst ? clear : moveTo(rows - 2)
    isFirst = false
    return stdout.write(`${beginUpdate}${start}${shown(text)}${endUpdate}`)
  }
  const stream = Object.assign(new EventEmitter(), {
    // Of a terminal Ink would hide the cursor and show it again, which whoever took the terminal does.
    isTTY: false,
    columns,
    rows,
    write,
  })
  return {
    stdout: stream as unknown as NodeJS.WriteStream,
    close: () => {
      isClosed = true
    },
  }
}
