/** Takes the terminal for the editor, and gives it back as it was. */

import type { WriteStream } from 'node:tty'
import { enterSequence, leaveSequence, type Modes } from './modes.ts'

/** The terminal, which the editor has, or has given back to other programs for a while. */
export type Terminal = {
  /** Takes the terminal. Does nothing if the editor has the terminal already, or has closed it. */
  take(): void
  /** Gives the terminal back. Does nothing if the editor does not have it. */
  giveBack(): void
  /** Whether the editor has the terminal. */
  isOurs(): boolean
  /** Gives the terminal back for good. */
  close(): void
}

/**
 * Takes the terminal at once. However the process ends, the terminal is given back: a write to a terminal is synchronous, so it is done
 * even while the process exits.
 */
export const takeTerminal = (stdout: Pick<WriteStream, 'write' | 'rows'>, modes: Modes): Terminal => {
  let isOurs = false
  let isClosed = false
  const terminal: Terminal = {
    take() {
      if (isOurs || isClosed) return
      isOurs = true
      stdout.write(enterSequence(modes, stdout.rows))
    },
    giveBack() {
      if (!isOurs) return
      isOurs = false
      stdout.write(leaveSequence(modes, stdout.rows))
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
