/**
 * Shows things as they come, until the user or the gateway ends the command. A thing is fetched only when the reader has taken the one
 * before.
 */

import { jsonText } from '../../app/json-text.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Io } from './io.ts'
import { type Cli, printFault } from './output.ts'

export type Ongoing<T> = {
  readonly things: AsyncGenerator<T, void>
  readonly show: (thing: T) => void
  /** Ends the source, even while a thing is awaited. */
  readonly close: () => void
  /** Prints one JSON document a line. The last document says why the output ends. */
  readonly isJson: boolean
}

/** Shows the things and returns the exit code: 130 after Ctrl-C, 0 when nobody reads any more, 4 when the gateway is gone. */
export const untilStopped = async <T>(ongoing: Ongoing<T>, stopped: ReturnType<Io['stopped']>, cli: Cli): Promise<number> => {
  const { things, show, close } = ongoing
  try {
    while (true) {
      const next = await Promise.race([things.next(), stopped])
      if (typeof next === 'string') return ended(next, ongoing, cli)
      if (next.done) throw new Fault('unreachable', 'the gateway stopped', { exitCode: exit.unreachable })
      show(next.value)
      await Promise.race([cli.io.drained(), stopped])
    }
  } catch (error) {
    // Stdout is in the middle of a stream, so the error goes to stderr and not into a document.
    if (!(error instanceof Fault)) throw error
    const hint = `start it: ${cli.workspace.self} gateway run`
    printFault(new Fault(error.code, error.message, { exitCode: error.exitCode, hint }), cli.io, false)
    return error.exitCode
  } finally {
    close()
  }
}

const ended = (why: 'cancelled' | 'gone', { isJson }: Pick<Ongoing<unknown>, 'isJson'>, { io }: Cli): number => {
  if (why === 'gone') return exit.ok
  if (isJson) io.stdout(`${jsonText({ type: 'end', reason: 'cancelled' })}\n`)
  return exit.cancelled
}
