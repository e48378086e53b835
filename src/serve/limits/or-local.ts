/** What is counted by this process alone while the shared store does not answer. */

import { StoreFault } from '../../core/fault.ts'

/** Resolves as `shared` does, or to the result of `local` where `shared` rejects with a StoreFault. */
export const orLocal = <T>(shared: T | Promise<T>, local: () => T | Promise<T>): T | Promise<T> =>
  shared instanceof Promise
    ? shared.catch((error) => {
        if (!(error instanceof StoreFault)) throw error
        return local()
      })
    : shared
