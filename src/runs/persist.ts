/** Repeats a call to the store until the call succeeds, so that a full disk delays the agent's reply, but does not lose it. */

import { StoreFault } from '../core/fault.ts'
import { unlessAborted } from '../core/turns/unless-aborted.ts'
import type { Store } from '../store/ports.ts'

export type PersistOptions = {
  readonly store: Pick<Store, 'recovered'>
  /** Aborts to end the repeating. A run whose end could not be stored goes on at the next start. */
  readonly signal: AbortSignal
  /** Called once, with the reason of the first failure. */
  readonly failed: (why: string) => void
}

/**
 * Calls `write`, which writes to the store, until a call succeeds, and resolves to the result of that call. Once the signal has aborted,
 * rejects with the StoreFault of the last call. An error of another kind is thrown at once.
 */
export const persist = async (write: () => Promise<boolean>, { store, signal, failed }: PersistOptions): Promise<boolean> => {
  for (let tries = 0; ; tries++) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof StoreFault) || signal.aborted) throw error
      if (tries === 0) failed(error.message)
      // Once the signal has aborted, the next call is the last one.
      await unlessAborted(store.recovered(), signal).catch(() => {})
    }
  }
}
