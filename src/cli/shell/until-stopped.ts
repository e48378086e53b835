/**
 * For commands that go on, such as `webhook tail`: shows things (events, or lines of traffic) as they come, until the user or the gateway
 * ends the command. The next thing is fetched only when the reader of stdout has taken the thing before.
 */

import { exit, Fault } from '../../core/fault.ts'
import { jsonText } from '../../datadir/json-text.ts'
import type { Io } from './io.ts'
import { type Cli, printFaultOf } from './output.ts'

export type OngoingOutput<T> = {
  readonly things: AsyncGenerator<T, void>
  readonly show: (thing: T) => void
  /** Ends the source of the things, even while the next thing is awaited. */
  readonly close: () => void
  /** Whether the things are printed as JSON documents, one a line. After Ctrl-C, a last document says why the output ends. */
  readonly isJson: boolean
}

/**
 * Shows the things and returns the exit code: 130 after Ctrl-C, 0 when nobody reads any more, 4 when the gateway is gone, and that of any
 * other Fault, which is printed.
 */
export const untilStopped = async <T>(ongoing: OngoingOutput<T>, stopped: ReturnType<Io['stopped']>, cli: Cli): Promise<number> => {
  const { things, show, close } = ongoing
  try {
    while (true) {
      const next = await Promise.race([things.next(), stopped])
      if (typeof next === 'string') return endAfter(next, ongoing, cli)
      if (next.done) throw new Fault('unreachable', 'the gateway stopped', { exitCode: exit.unreachable })
      show(next.value)
      await Promise.race([cli.io.drained(), stopped])
    }
  } catch (error) {
    // Stdout is in the middle of a stream, so the error goes to stderr and not into a document.
    if (!(error instanceof Fault)) throw error
    const hint = `start it: ${cli.workspace.self} gateway run`
    await printFaultOf(new Fault(error.code, error.message, { exitCode: error.exitCode, hint }), cli)
    return error.exitCode
  } finally {
    close()
  }
}

const endAfter = (why: 'cancelled' | 'gone', { isJson }: Pick<OngoingOutput<unknown>, 'isJson'>, { io }: Cli): number => {
  if (why === 'gone') return exit.ok
  if (isJson) io.stdout(`${jsonText({ type: 'end', reason: 'cancelled' })}\n`)
  return exit.cancelled
}
