/** The one loop for work that comes again and again: it never runs twice at once, and its end waits for the run in progress. */

import type { Clock } from '../clock.ts'
import type { Scope } from '../scope.ts'
import { Timer } from './timer.ts'

export interface Repeating {
  /**
   * Runs the work now, and counts the next pause from there. A run in progress is followed by one more. Resolves when this run has ended;
   * does nothing after `stop`.
   */
  now(): Promise<void>
  /** Resolves when the run in progress has ended; at once where there is none. */
  idle(): Promise<void>
  /** Begins no further run. Resolves when the run in progress has ended. The work may call this, and must not wait for it. */
  stop(): Promise<void>
}

type RepeatOptions = {
  /** Gets the error of a run that failed; the loop goes on. Without it, work that fails is a fault of the program. */
  readonly failed?: (error: unknown) => void
  /** When the first run begins: before `repeat` returns, in a turn of its own, or after a pause. */
  readonly first?: 'now' | 'soon' | 'later'
  /** Its end calls `stop`. */
  readonly scope?: Scope
}

/** Runs `work` again and again, with `ms` milliseconds from the end of a run to the next. A function is asked for each pause. */
export const repeat = (
  clock: Pick<Clock, 'after'>,
  ms: number | (() => number),
  work: () => Promise<void> | void,
  { failed, first = 'later', scope }: RepeatOptions = {},
): Repeating => {
  let isOver = false
  let isRunning = false
  let isDue = false
  let runs = Promise.resolve()

  const sleep = (pauseMs = typeof ms === 'number' ? ms : ms()): void => {
    if (!isOver) timer.start(pauseMs)
  }
  // Work without a promise is not awaited, so that the next pause begins in the same turn.
  const run = async (): Promise<void> => {
    isRunning = true
    timer.stop()
    do {
      isDue = false
      try {
        const ending = work()
        if (ending) await ending
      } catch (error) {
        if (!failed) throw error
        failed(error)
      }
    } while (isDue && !isOver)
    isRunning = false
    sleep()
  }
  const now = (): Promise<void> => {
    if (isRunning) isDue = true
    else if (!isOver) runs = run()
    return runs
  }
  const timer = new Timer(clock, () => void now())

  if (first === 'now') void now()
  else sleep(first === 'soon' ? 0 : undefined)
  const stop = (): Promise<void> => {
    isOver = true
    timer.stop()
    return runs
  }
  scope?.defer(stop)
  return { now, idle: () => runs, stop }
}
