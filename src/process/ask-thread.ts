/** Asks a thread for one answer, within limits of time and memory, so that nothing that strangers wrote holds the gateway up. */

import { once } from 'node:events'
import type { TransferListItem } from 'node:worker_threads'
import type { Clock } from '../core/clock.ts'
import { startThread } from './start-thread.ts'

/** How long a thread may take, and what its objects may take of memory. */
const limitMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 256 }

export type Question = {
  readonly thread: Parameters<typeof startThread>[0]
  /** The data that the thread reads from `workerData`. */
  readonly data: unknown
  /** What of the data is the thread's alone from now on, and so is not copied. */
  readonly transferList?: TransferListItem[]
}

/** The first message of the thread; `undefined` when none comes within the limits. Rejects with the reason of `signal`. */
export const askThread = async <Answer extends object>(
  { thread, data, transferList = [] }: Question,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer | undefined> => {
  signal.throwIfAborted()
  const late = new AbortController()
  const cancel = clock.after(limitMs, () => late.abort())
  // What it prints, and what of our environment it could read, is nobody's.
  const worker = startThread(thread, data, { resourceLimits, env: {}, stdout: true, stderr: true, transferList })
  // `once` below stops listening when the time is up, and an error of the thread that nobody listens to would end the process.
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
