/** Decides whether an attempt at a run may begin: not where the run is dead, paused, out of turn, or its target is down. */

import { giveBack, type RunEnd } from '../../core/run-end.ts'
import type { Lease } from '../../store/ports.ts'
import { hasBegun, leftMs, notBegun } from '../flow/start-rule.ts'
import type { Attempt } from './attempt.ts'

/** Returns the end of an attempt that must not begin, or that waits for a target; `undefined` where it may begin. */
export const whyNotStart = async (attempt: Attempt): Promise<RunEnd | undefined> => {
  const { options, paces, lease, policy } = attempt
  // The process died, or its lease ran out, during the last attempt that the run may have. (After an orderly stop, the run gets another
  // attempt.)
  if (lease.interrupted && lease.attempt > policy.retry.maxAttempts)
    return { kind: 'dead', error: `out of attempts after ${policy.retry.maxAttempts}: the process ended during each` }
  if (lease.interrupted && policy.startsOnce && lease.reply === undefined)
    return { kind: 'dead', error: 'the process ended during the run, and a job is not started twice' }
  const unbegun = policy.start && notBegun(lease, policy.start, options.clock.now())
  if (unbegun) return unbegun
  const undeliverable = lease.reply === undefined ? options.undeliverable(lease.run) : undefined
  if (undeliverable !== undefined) return { kind: 'dead', error: `${undeliverable}; the agent was not asked` }
  const turnMs = await untilTurn(attempt)
  if (turnMs !== undefined && turnMs > 0) return giveBack(turnMs, 'the run waits for its turn: rate_limit of its route')
  const waitMs = mayWait(attempt) ? options.outages?.waitBefore(lease) : undefined
  if (waitMs !== undefined) return giveBack(waitMs, 'the run waits until its target works again')
  if (turnMs !== undefined) paces.began(lease)
  return undefined
}

/**
 * Returns the time until it is the run's turn, in milliseconds, and at most until the run expires; `undefined` where the run need not wait
 * for a turn. A run that was begun before has had its turn.
 */
const untilTurn = async ({ options: { clock }, paces, lease, policy: { start } }: Attempt): Promise<number | undefined> => {
  if (start?.perMinute === undefined || lease.attempt > 1 || hasBegun(lease)) return undefined
  return Math.min(await paces.waitMs(lease, start.perMinute), leftMs(lease, start, clock.now()) + 1)
}

/**
 * Whether the run may be given back, for another process to take. Only this lease says that an earlier attempt was interrupted. Where that
 * attempt may have sent its reply or started a job, the next process would not know of it, and would do the same again.
 */
export const mayGoElsewhere = ({ interrupted, reply, run }: Lease): boolean =>
  !interrupted || (reply === undefined && run.job === undefined)

/**
 * Whether the run may wait here for a target that is down. A run that may have delivered its reply goes on, as for `mayGoElsewhere`. With
 * `when_down: run`, only the delivery of the reply waits.
 */
const mayWait = ({ lease, policy }: Attempt): boolean => (lease.reply === undefined ? policy.whenDown === 'hold' : !lease.interrupted)
