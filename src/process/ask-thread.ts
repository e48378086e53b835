/** Asks a thread for one answer, within limits of time and memory, so that the content of strangers cannot hold up the gateway. */

import { once } from 'node:events'
import type { TransferListItem } from 'node:worker_threads'
import type { Clock } from '../core/clock.ts'
import { endWithin } from '../core/turns/within.ts'
import { startThread, type ThreadEntry } from './start-thread.ts'

/** The most time, in milliseconds, and memory that a thread may take. */
const limitMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 256 }

export type ThreadQuestion = {
  readonly thread: ThreadEntry
  readonly data: unknown
  /** The buffers in `data` that are moved to the thread, not copied. */
  readonly transferList?: TransferListItem[]
}

/**
 * Starts a thread, and resolves to its first message; to `undefined` when the thread sends none within the limits. The thread is ended in
 * each case. Rejects with the reason of `signal` once the signal has aborted.
 */
export const askThread = async <Answer extends object>(
  { thread, data, transferList = [] }: ThreadQuestion,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer | undefined> => {
  signal.throwIfAborted()
  // What the thread prints is dropped, and the thread gets no variable of this process's environment.
  const worker = startThread(thread, data, { resourceLimits, env: {}, stdout: true, stderr: true, transferList })
  // When the time is up, `once` below no longer listens to errors, and an error of the thread without a listener would end the process.
  worker.on('error', () => {})
  const ended = once(worker, 'exit').then((): [undefined] => [undefined])
  const answered = (signal: AbortSignal) => Promise.race([once(worker, 'message', { signal }) as Promise<[Answer]>, ended])
  try {
    const [answer] = await endWithin(answered, limitMs, clock, () => [undefined] as const, signal)
    return answer
  } catch {
    signal.throwIfAborted()
    return undefined
  } finally {
    await worker.terminate()
  }
}
