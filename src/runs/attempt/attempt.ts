/** An attempt at a run: what it has, and the ends of an attempt that is made again. */

import type { NewRun } from '../../core/new-run.ts'
import type { MayDeliver } from '../../core/plan.ts'
import type { RunEnd } from '../../core/run-end.ts'
import type { Outgoing } from '../../parts/targets/target.ts'
import type { Lease, Store } from '../../store/ports.ts'
import type { AskOptions } from '../ask-agent.ts'
import { delayAfter } from '../backoff.ts'
import type { Sending } from '../breaker/breakers.ts'
import type { Outages } from '../breaker/outages.ts'
import type { Paces, SharedRates } from '../flow/paces.ts'
import { persist } from '../persist.ts'
import type { RunPolicy } from '../policy.ts'
import { runFields, type Transcript } from './transcript.ts'

export type AttemptOptions = AskOptions & {
  readonly store: Store
  /** Returns the limits, tools and skills of a run, as its route or job has them now. */
  readonly policy: (run: NewRun) => RunPolicy
  /** Removes known secrets from the words of an end, before these are stored, logged or posted. */
  readonly redact: (text: string) => string
  /** Sends a text to one target. Never rejects. */
  readonly send: (outgoing: Outgoing) => Promise<Sending>
  /** Says which runs wait for a target that is down. Absent where no run does. */
  readonly outages?: Outages
  /**
   * Counts the runs of routes with `rate_limit` that all gateways have begun. Absent: this gateway counts the runs that it has begun
   * itself.
   */
  readonly rates?: SharedRates | undefined
  /** Judges the condition on which the reply of a run is delivered. Absent where no route has one. */
  readonly mayDeliver?: MayDeliver
  /** Whether a text that is sent twice to this target is posted only once. */
  readonly repeatable: (target: string) => boolean
  /** Whether a post of this target comes back as an event. */
  readonly comments: (target: string) => boolean
  /** Returns a noun phrase for what this process lacks for a run and another process may have; `undefined` where nothing is lacking. */
  readonly lacks: (run: NewRun) => string | undefined
  /** Returns why the reply of a run could go nowhere, so that no agent is asked; `undefined` where it has somewhere to go. */
  readonly undeliverable: (run: NewRun) => string | undefined
}

export type Attempt = {
  readonly options: AttemptOptions
  /** Says when a run may begin whose route limits how many runs begin in a minute (`rate_limit`). */
  readonly paces: Paces
  readonly signal: AbortSignal
  readonly lease: Lease
  readonly policy: RunPolicy
  readonly transcript: Transcript
}

/**
 * Calls `write`, which writes to the store, again and again until the store works. Resolves to the result of `write`. The first failure is
 * logged. When the signal aborts, rejects with the last failure.
 */
export const persistRun = (
  lease: Lease,
  write: () => Promise<boolean>,
  { store, log }: Pick<AttemptOptions, 'store' | 'log'>,
  signal: AbortSignal,
): Promise<boolean> =>
  persist(write, { store, signal, failed: (reason) => log('error', { ...runFields(lease), reason }, 'cannot record a run, trying again') })

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
