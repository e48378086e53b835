/** Tells the store how a run went until it hears: a full disk costs time, not what the agent said. */

import type { Clock } from '../core/clock.ts'
import { StoreFault } from '../core/fault.ts'

/** After a failure of the store, when to try again. */
export const storeRetryMs = 1_000

export type Patience = {
  readonly clock: Clock
  /** Ends the trying: what was not recorded resumes at the next start. */
  readonly signal: AbortSignal
  /** Said once. */
  readonly failed: (why: string) => void
}

/** What `tell` resolves to; rejects with its fault once the signal was given. */
export const record = async (tell: () => Promise<boolean>, { clock, signal, failed }: Patience): Promise<boolean> => {
  for (let tries = 0; ; tries++) {
    try {
      return await tell()
    } catch (error) {
      if (!(error instanceof StoreFault) || signal.aborted) throw error
      if (tries === 0) failed(error.message)
      await new Promise<void>((resolve) => clock.after(storeRetryMs, resolve))
    }
  }
}
