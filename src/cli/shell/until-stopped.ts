/** What goes on until somebody ends it: each thing is shown as it comes, as fast as it is read. */

import { jsonText } from '../../app/json-text.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Io } from './io.ts'
import { type Cli, printFault } from './output.ts'

export type Ongoing<T> = {
  readonly things: AsyncGenerator<T, void>
  readonly show: (thing: T) => void
  /** Leaves, also while one is waited for. */
  readonly close: () => void
  /** One JSON document a line, of which the last says why it is over. */
  readonly isJson: boolean
}

/** Exit 130 for Ctrl-C, 0 when nobody reads any more, 4 when the gateway went away. */
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
    // In the middle of a stream: no other document on stdout.
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
