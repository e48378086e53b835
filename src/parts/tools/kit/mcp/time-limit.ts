/** Bounds how long somebody waits. */

import type { Clock } from '../../../../core/clock.ts'

export type TimeLimit = {
  /** Aborts when the time is up, or when the signal that it was made of does. */
  readonly signal: AbortSignal
  /** Whether the time is up. */
  readonly isUp: () => boolean
  /** Nobody waits any more: the time does not run out. */
  readonly lift: () => void
}

export const timeLimit = (clock: Clock, ms: number, from?: AbortSignal): TimeLimit => {
  const late = new AbortController()
  const lift = clock.after(ms, () => late.abort(new Error('the time is up')))
  // Not a listener for each: a run may make many calls at once, and Node warns of many listeners.
  return { signal: from ? AbortSignal.any([from, late.signal]) : late.signal, isUp: () => late.signal.aborted, lift }
}

/** Waits for what others wait for too, no longer than until the signal aborts. */
export const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
