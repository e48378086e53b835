/** Asks a thread for one answer, within limits of time and memory, so that the content of strangers cannot hold up the gateway. */

import { once } from 'node:events'
import type { TransferListItem } from 'node:worker_threads'
import type { Clock } from '../core/clock.ts'
import { startThread } from './start-thread.ts'

/** The most time and memory that a thread may take. */
const limitMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 256 }

export type ThreadQuestion = {
  readonly thread: Parameters<typeof startThread>[0]
  /** The data that the thread reads from `workerData`. */
  readonly data: unknown
  /** The parts of the data that are moved to the thread, not copied. */
  readonly transferList?: TransferListItem[]
}

/** Returns the first message of the thread; `undefined` when none comes within the limits. Rejects with the reason of `signal`. */
export const askThread = async <Answer extends object>(
  { thread, data, transferList = [] }: ThreadQuestion,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer | undefined> => {
  signal.throwIfAborted()
  const late = new AbortController()
  const cancel = clock.after(limitMs, () => late.abort())
  // The thread's output is dropped, and it gets no variable of our environment.
  const worker = startThread(thread, data, { resourceLimits, env: {}, stdout: true, stderr: true, transferList })
  // `once` below stops listening when the time is up. An error of the thread without a listener would end the process.
  worker.on('error', () => {})
  worker.on('exit', () => late.abort())
  try {
    const [answer] = (await once(worker, 'message', { signal: AbortSignal.any([signal, late.signal]) })) as [Answer]
    return answer
  } catch {
    signal.throwIfAborted()
    return undefined
  } finally {
    cancel()
    await worker.terminate()
  }
}
