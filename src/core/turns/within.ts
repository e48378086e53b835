/** The deadline for work that nobody can end: the work goes on, and the wait for it ends. */

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

/** Makes a `late` that throws. `what`: a clause such as "no answer". */
export const failLate = (what: string, ms: number) => (): never => {
  throw new Error(`${what} in ${Math.ceil(ms / 1000)} seconds`)
}
