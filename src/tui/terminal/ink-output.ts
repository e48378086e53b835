/** The output that Ink writes to, between Ink and the terminal: shows each frame as a whole, and puts the frame on the right rows. */

import { EventEmitter } from 'node:events'
import type { Size } from '../model/room.ts'
import { beginUpdate, clearSequence, endUpdate, moveToRow } from './modes.ts'

export type InkOutput = {
  /** The value for Ink's option `stdout`. */
  readonly stdout: NodeJS.WriteStream
  /** Drops everything that Ink writes from now on. */
  close(): void
}

/** Makes the output. `isOurs`: no other program has the terminal. `shown`: returns a text in the form that the terminal gets. */
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
    // Ink 6 would clear the whole terminal for a frame of the terminal's height, so the editor's frame is one row shorter. To draw again,
    // Ink moves the cursor up from the last row of a frame, but for the shorter frame one row too few. So the cursor is put on the last
    // row first.
    const start = isFirst ? clearSequence : moveToRow(rows - 2)
    isFirst = false
    return stdout.write(`${beginUpdate}${start}${shown(text)}${endUpdate}`)
  }
  const stream = Object.assign(new EventEmitter(), {
    // For a terminal, Ink would hide the cursor and show the cursor again. `takeTerminal` does both already.
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
