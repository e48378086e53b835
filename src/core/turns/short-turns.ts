/**
 * Delays costly tasks, such as the check of the signature of a large body: each turn of the event loop spends little time on them, so that
 * other requests are served in between. The waiting tasks are bounded, those of one client more closely.
 */

import { createClientShares } from './client-shares.ts'
import { turnShares } from './turn-shares.ts'

/** What may wait. */
const limits = { maxTasks: 256, maxTasksOfOne: 32, maxBytes: 33_554_432, maxBytesOfOne: 8_388_608 }

export interface ShortTurns {
  /** Whether one more task of this client, which holds `bytes` bytes, may wait. Ask before `run`, which refuses nothing. */
  hasRoom(client: string, bytes: number): boolean
  /**
   * Does the task in one of the next turns. Resolves to its result, or rejects with its error. A task of several steps does its first step
   * at once, and each further step with `nextStep`. It calls `nextStep` before the previous step has returned, so that no other task begins
   * between the two steps.
   */
  run<T>(client: string, bytes: number, task: (nextStep: NextStep) => T | Promise<T>): Promise<T>
}

/** Does a further step of a task, in the same turn if there is time. */
export type NextStep = <T>(step: () => T | Promise<T>) => Promise<T>

export const createShortTurns = (): ShortTurns => {
  const waiting: (() => void)[] = []
  const shares = createClientShares(limits)
  let isScheduled = false

  // A step that begins within the share may end after it.
  const runTasks = (): void => {
    const until = performance.now() + turnShares.signatures
    do waiting.shift()?.()
    while (waiting.length > 0 && performance.now() < until)
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(runTasks)
  }
  const scheduleTurn = (): void => {
    if (!isScheduled) setImmediate(runTasks)
    isScheduled = true
  }
  // A task that has begun ends before another begins, because it holds the bytes of a body.
  const nextStep: NextStep = (step) =>
    new Promise((resolve, reject) => {
      waiting.unshift(() => settleStep(step, resolve, reject))
      scheduleTurn()
    })
  return {
    hasRoom: shares.hasRoom,
    run: (client, bytes, task) =>
      new Promise((resolve, reject) => {
        const release = shares.hold(client, bytes)
        waiting.push(() => {
          release()
          settleStep(() => task(nextStep), resolve, reject)
        })
        scheduleTurn()
      }),
  }
}

/** Hands the result or the error of a step to whoever waits for the step. An error that is thrown here would end the process. */
const settleStep = <T>(step: () => T, resolve: (made: T) => void, reject: (error: unknown) => void): void => {
  try {
    resolve(step())
  } catch (error) {
    reject(error)
  }
}
