/** The terminal of the editor: taken, and given back as it was. */

import type { WriteStream } from 'node:tty'
import { enter, leave, type Modes } from './modes.ts'

export type Terminal = {
  /** Does nothing where it is ours already, or was closed. */
  take(): void
  /** Does nothing where it is not ours. */
  giveBack(): void
  isOurs(): boolean
  /** Gives it back for good. */
  close(): void
}

/** Taken at once. However the process ends, it is given back: a terminal takes what is written before the next statement. */
export const takeTerminal = (stdout: Pick<WriteStream, 'write' | 'rows'>, modes: Modes): Terminal => {
  let isOurs = false
  let isClosed = false
  const terminal: Terminal = {
    take() {
      if (isOurs || isClosed) return
      isOurs = true
      stdout.write(enter(modes, stdout.rows))
    },
    giveBack() {
      if (!isOurs) return
      isOurs = false
      stdout.write(leave(modes, stdout.rows))
    },
    isOurs: () => isOurs,
    close() {
      terminal.giveBack()
      isClosed = true
      process.off('exit', terminal.close)
    },
  }
  process.on('exit', terminal.close)
  terminal.take()
  return terminal
}
