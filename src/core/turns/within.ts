/** Puts a deadline on work. Of work that nobody can end, only the wait ends, and the work goes on; other work is ended by a signal. */

import type { Clock } from '../clock.ts'

/**
 * Resolves or rejects as the work does. When the work has not ended after `ms` milliseconds, the returned promise resolves to the result of
 * `late`, or rejects with the error that `late` throws.
 */
export const within = async <T, Late = never>(work: Promise<T>, ms: number, clock: Clock, late: () => Late): Promise<T | Late> => {
  let cancel = (): void => {}
  const isLate = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  try {
    return await Promise.race([work, isLate.then(late)])
  } finally {
    cancel()
  }
}

/**
 * Does work that ends when the signal that it gets aborts: after `ms` milliseconds, or when `signal` aborts. Rejects with the reason of
 * `signal` where that ended the work. Where the time did, resolves to the result of `late`, or rejects with the error that `late` throws.
 */
export const endWithin = async <T, Late = never>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  clock: Pick<Clock, 'after'>,
  late: () => Late,
  signal?: AbortSignal,
): Promise<T | Late> => {
  const time = new AbortController()
  const cancel = clock.after(ms, () => time.abort(new Error('the time is up')))
  try {
    // `AbortSignal.any` instead of a listener on `signal`: much work may share that signal, and Node warns of many listeners.
    return await work(signal ? AbortSignal.any([signal, time.signal]) : time.signal)
  } catch (thrown) {
    signal?.throwIfAborted()
    if (time.signal.aborted) return late()
    throw thrown
  } finally {
    cancel()
  }
}

/** Makes a `late` that throws. `what`: a clause such as "no answer". */
export const throwTimeout = (what: string, ms: number) => (): never => {
  throw new Error(`${what} in ${Math.ceil(ms / 1000)} seconds`)
}
