/**
 * Watches for what ends the editor although the user did not quit: a signal, a terminal that is gone, or a mistake of the program. These
 * are called endings here. (The ending of a plan is another thing.)
 */

import { constants } from 'node:os'
import type { ReadStream } from 'node:tty'
import { exit, Fault, messageOf } from '../../core/fault.ts'

/** What ended the editor: a signal, or an error of the program that nothing caught. A lost terminal counts as SIGHUP. */
export type EditorEnding = { readonly signal: NodeJS.Signals } | { readonly crash: unknown }

/** `ended` resolves to the first ending. `close` ends the watching. */
export type Endings = { readonly ended: Promise<EditorEnding>; close(): void }

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Returns the exit code that shells give for a signal. */
const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/**
 * Watches for endings until `close`. Meanwhile, none of them ends the process by itself. `isOurs`: no other program has the terminal. While
 * another program has the terminal, ^c is meant for that program. `stdin`: the end of this input is an ending, too.
 */
export const watchEndings = (isOurs: () => boolean, stdin?: ReadStream): Endings => {
  let end = (_: EditorEnding): void => {}
  const ended = new Promise<EditorEnding>((resolve) => {
    end = resolve
  })
  const stop = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || isOurs()) end({ signal })
  }
  const hangUp = (): void => end({ signal: 'SIGHUP' })
  const crash = (error: unknown): void => end({ crash: error })
  for (const signal of signals) process.on(signal, stop)
  for (const event of ['end', 'error', 'close']) stdin?.on(event, hangUp)
  // Unhandled rejections come here, too.
  process.on('uncaughtException', crash)
  return {
    ended,
    close() {
      for (const signal of signals) process.off(signal, stop)
      for (const event of ['end', 'error', 'close']) stdin?.off(event, hangUp)
      process.off('uncaughtException', crash)
    },
  }
}

/** How the editor ended. */
export type EditorEnd = {
  readonly exitCode: number
  /** Says where the unsaved changes are kept, or why they are not; `undefined` if there were none. */
  readonly kept?: string
}

/** Returns how the editor ended. `ending` is `undefined` if the user left the editor. A mistake of the program is thrown as a Fault. */
export const editorEndOf = (ending: EditorEnding | undefined, kept: string | undefined): EditorEnd => {
  const left = kept === undefined ? {} : { kept }
  if (!ending) return { exitCode: exit.ok, ...left }
  if ('signal' in ending) return { exitCode: exitCodeOf(ending.signal), ...left }
  throw new Fault('internal', `the editor failed: ${messageOf(ending.crash)}`, {
    exitCode: exit.internal,
    cause: ending.crash,
    ...(kept === undefined ? {} : { hint: `your changes are ${kept}` }),
  })
}
