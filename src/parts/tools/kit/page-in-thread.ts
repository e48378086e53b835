/** Reads a page in a thread of its own, with limits of time and memory, so that no page holds the gateway up. */

import { once } from 'node:events'
import type { Clock } from '../../../core/clock.ts'
import { startThread } from '../../../process/start-thread.ts'
import type { Page, PageSource } from './read-page.ts'
import { WebFault } from './web-fault.ts'

const limitMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 256 }

/** Rejects with a WebFault when the page cannot be read within the limits, or with the reason of `signal`. */
export const readPageInThread = async (source: PageSource, clock: Clock, signal: AbortSignal): Promise<Page> => {
  signal.throwIfAborted()
  const late = new AbortController()
  const cancel = clock.after(limitMs, () => late.abort())
  // What it prints, and what of our environment it could read, is nobody's.
  const worker = startThread('page', source, { resourceLimits, env: {}, stdout: true, stderr: true })
  // Between its end and ours nobody waits for it, and an error without a listener would end the process.
  worker.on('error', () => {})
  worker.on('exit', () => late.abort())
  try {
    const [page] = (await once(worker, 'message', { signal: AbortSignal.any([signal, late.signal]) })) as [Page]
    return page
  } catch {
    signal.throwIfAborted()
    throw new WebFault('The page cannot be read: it is too large or too deeply nested.')
  } finally {
    cancel()
    await worker.terminate()
  }
}
