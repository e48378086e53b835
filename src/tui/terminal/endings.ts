/** What ends the editor from outside: a signal, a terminal that is gone, a mistake of ours. */

import { constants } from 'node:os'
import type { ReadStream } from 'node:tty'
import { exit, Fault, messageOf } from '../../core/fault.ts'

export type Ending = { readonly signal: NodeJS.Signals } | { readonly crash: unknown }

export type Endings = { readonly ended: Promise<Ending>; close(): void }

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** As shells give it. */
const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** While they are watched, none of them ends the process. `isOurs`: no other program has the terminal, whose ^c means that program. `stdin`: of what is read from it the end is one, too. */
export const watchEndings = (isOurs: () => boolean, stdin?: ReadStream): Endings => {
  let end = (_: Ending): void => {}
  const ended = new Promise<Ending>((resolve) => {
    end = resolve
  })
  const stop = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || isOurs()) end({ signal })
  }
  const hangUp = (): void => end({ signal: 'SIGHUP' })
  const crash = (error: unknown): void => end({ crash: error })
  for (const signal of signals) process.on(signal, stop)
  for (const event of ['end', 'error', 'close']) stdin?.on(event, hangUp)
  // What was rejected and nobody takes comes here, too.
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
export type Ended = {
  readonly exitCode: number
  /** Where the changes are that were not saved. */
  readonly kept?: string
}

/** `undefined`: the user left it. Throws what was a mistake of ours, as a Fault. */
export const endedBy = (ending: Ending | undefined, kept: string | undefined): Ended => {
  const left = kept === undefined ? {} : { kept }
  if (!ending) return { exitCode: exit.ok, ...left }
  if ('signal' in ending) return { exitCode: exitCodeOf(ending.signal), ...left }
  throw new Fault('internal', `the editor failed: ${messageOf(ending.crash)}`, {
    exitCode: exit.internal,
    cause: ending.crash,
    ...(kept === undefined ? {} : { hint: `your changes are ${kept}` }),
  })
}
