/** The one deadline for work that nobody can end: it goes on, and who waits for it does not. */

import type { Clock } from '../clock.ts'

/** Resolves or rejects as the work does; after `ms` milliseconds without its end it resolves to what `late` returns, or rejects with what `late` throws. */
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

/** For `late`: the work's end is not waited for any more, which is a failure. `what`: a clause such as "no answer". */
export const failLate = (what: string, ms: number) => (): never => {
  throw new Error(`${what} in ${Math.ceil(ms / 1000)} seconds`)
}
