/** The end of a failed attempt. */

import type { RunEnd } from '../../store/ports.ts'
import { delayAfter } from '../backoff.ts'
import type { Attempt } from './attempt.ts'

type Failure = {
  /** The wait that the agent's API or the target asked for, in milliseconds. */
  readonly askedMs: number | undefined
  /**
   * Whether an attempt that a stop aborted counts all the same, because it gave up a target. If such an attempt did not count, the next
   * attempt could be a first attempt with progress. It would pass for an attempt at a revived run, and would send again to the target that
   * was given up.
   */
  readonly counts?: boolean
}

/** Returns the end of a failed attempt: another attempt after a wait, or `dead` after the last. */
export const endOfFailure = (
  { signal, lease, policy: { retry } }: Attempt,
  error: string,
  { askedMs, counts = false }: Failure,
): RunEnd => {
  // The stop of the gateway aborted the attempt, and nothing failed. So the run is due at the next start.
  if (signal.aborted) return { kind: 'again', afterMs: 0, error, ...(counts ? {} : { uncounted: true }) }
  if (lease.attempt >= retry.maxAttempts) return { kind: 'dead', error }
  return { kind: 'again', afterMs: delayAfter(lease.attempt, retry, askedMs), error }
}
