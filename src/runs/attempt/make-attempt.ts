/** Makes an attempt at a run: asks the agent, unless its reply is stored already, and then delivers the reply. */

import type { RunCause } from '../../core/facts/fact.ts'
import { giveBack, type RunEnd } from '../../core/run-end.ts'
import type { Lease } from '../../store/ports.ts'
import { askAgent, StoodStill, Unanswered } from '../ask-agent.ts'
import { cancelledEnd, RunStopped } from '../flow/cancels.ts'
import { Paces } from '../flow/paces.ts'
import { createMeter } from '../meter.ts'
import { type Attempt, type AttemptOptions, endOfFailure, persistRun } from './attempt.ts'
import { deliverReply, isSilent } from './deliver-reply.ts'
import { mayGoElsewhere, whyNotStart } from './may-begin.ts'
import type { Transcript } from './transcript.ts'

/**
 * Makes one attempt at the run of a lease, and collects reply, answers and usage in `transcript`. Resolves to the end of the attempt, which
 * the caller stores. `lost`: another worker has the run now.
 */
export type MakeAttempt = (lease: Lease, transcript: Transcript) => Promise<RunEnd | 'lost'>

/**
 * How long a run is not due after this process gave it back because this process lacks what the run needs, in milliseconds. Otherwise this
 * process would take the run again at once.
 */
const restMs = 5_000
/** The most reasons that are remembered, so that each is logged once. */
const maxReasons = 1_000

/** Makes the function that makes attempts. When `signal` aborts, the attempt is aborted. */
export const createAttempt = (options: AttemptOptions, signal: AbortSignal): MakeAttempt => {
  const paces = new Paces(options.clock, options.rates)
  const said = new Set<string>()
  const warnOnce = (reason: string, message: string): void => {
    if (said.has(reason)) return
    if (said.size < maxReasons) said.add(reason)
    options.log('warn', { reason }, message)
  }
  const uncounted = (reason: string): void => warnOnce(reason, 'a budget cannot be held')
  return async (lease, transcript) => {
    const policy = options.policy(lease.run)
    const attempt = { options, paces, signal, lease, policy, transcript }
    if (lease.run.cancelled) return cancelledEnd(lease.run)
    const lacking = options.lacks(lease.run)
    if (lacking !== undefined && mayGoElsewhere(lease)) {
      warnOnce(`this gateway lacks ${lacking}`, 'runs wait for a gateway whose configuration has what they need')
      return giveBack(restMs, `this gateway lacks ${lacking}`)
    }
    const early = await whyNotStart(attempt)
    if (early !== undefined) return early
    if (lease.reply !== undefined) return deliverReply(attempt, lease.reply)
    const { store, comments } = options
    const { budget, prices } = policy
    const now = (): number => options.clock.now()
    const usedUp = (key: string): void => options.facts.emit({ kind: 'budget_used_up', at: now(), cause: causeOf(lease), key })
    const meter = createMeter({ run: lease.run, isRepeat: lease.attempt > 1, comments, budget, prices, store, now, uncounted, usedUp })
    try {
      const reply = await askAgent(attempt, meter)
      return (await keepNewReply(attempt, reply)) ? await deliverReply(attempt, reply) : 'lost'
    } catch (error) {
      if (error instanceof RunStopped) return 'lost'
      if (error instanceof StoodStill) return giveBack(0, 'the gateway stood still before the run began')
      return endOfError(attempt, error)
    } finally {
      transcript.usage = meter.taken()
    }
  }
}

const causeOf = ({ run: { profile, route, deliveryId, job, eventId }, attempt }: Lease): RunCause => ({
  profile,
  route,
  deliveryId,
  job,
  eventId,
  attempt,
})

/** Returns the end of an attempt in which the agent gave no reply. Any other error than `Unanswered` is thrown on. */
const endOfError = (attempt: Attempt, error: unknown): RunEnd => {
  if (!(error instanceof Unanswered)) throw error
  if (attempt.policy.startsOnce || error.isFinal) return { kind: 'dead', error: error.message }
  return endOfFailure(attempt, error.message, { askedMs: error.retryAfterMs })
}

/** Stores the agent's reply, and emits that it is stored. `false`: another worker has the run. */
const keepNewReply = async ({ options, signal, lease }: Attempt, reply: string): Promise<boolean> => {
  const isKept = await persistRun(lease, () => options.store.keepReply(lease, reply), options, signal)
  if (isKept) options.facts.emit({ kind: 'run_replied', eventId: lease.run.eventId, reply: isSilent(reply) ? '' : reply })
  return isKept
}
