/** Makes an attempt at a run: asks the agent, unless its reply is stored already, and then delivers the reply. */

import type { RunCause } from '../core/facts/fact.ts'
import type { NewRun, Progress } from '../core/new-run.ts'
import type { Outgoing } from '../parts/targets/target.ts'
import type { Lease, RunEnd, Store } from '../store/ports.ts'
import { type AskOptions, askAgent, StoodStill, Unanswered } from './ask-agent.ts'
import { delayAfter } from './backoff.ts'
import type { Sending } from './breaker/breakers.ts'
import type { Outages } from './breaker/outages.ts'
import { deliver, type Postponed } from './deliver.ts'
import { cancelledError, RunStopped } from './flow/cancels.ts'
import type { HeldRuns } from './flow/held-runs.ts'
import { Paces, type SharedRates } from './flow/paces.ts'
import { leftMs, notBegun } from './flow/start-rule.ts'
import { mergedPrompt } from './merged-prompt.ts'
import { createMeter } from './meter.ts'
import { persist } from './persist.ts'
import type { RunPolicy } from './policy.ts'
import type { AttemptEnd, Transcript } from './run-attempt.ts'
import { runFields } from './run-fields.ts'
import { isSilent } from './silent-reply.ts'

export type AttemptOptions = AskOptions & {
  readonly store: Store
  /** Returns the limits, tools and skills of a run, as its route or job has them now. */
  readonly policy: (run: NewRun) => RunPolicy
  /** Sends a text to one target. Never rejects. */
  readonly send: (outgoing: Outgoing) => Promise<Sending>
  /** Absent where no run waits for a target that is down. */
  readonly outages?: Outages
  /** Remembers the runs of paused routes. */
  readonly held: Pick<HeldRuns, 'add'>
  /** Counts, over all gateways, the runs that have begun of routes with `rate_limit`. Absent: this process counts its own. */
  readonly rates?: SharedRates | undefined
  /** Whether a text that is sent twice to this target is posted only once. */
  readonly repeatable: (target: string) => boolean
  /** Whether a post of this target comes back as an event. */
  readonly comments: (target: string) => boolean
  /** Returns a noun phrase for what this process lacks for a run and another process may have; `undefined` where nothing is lacking. */
  readonly lacks: (run: NewRun) => string | undefined
}

/** Makes one attempt at the run of a lease, and collects reply, answers and usage in `transcript`. */
export type MakeAttempt = (lease: Lease, transcript: Transcript) => Promise<AttemptEnd | 'lost' | 'given back'>

/**
 * How long a run is not due after this process gave it back because this process lacks what the run needs, in milliseconds. Otherwise this
 * process would take the run again at once.
 */
const restMs = 5_000
/** The most reasons that are remembered, so that each is logged once. */
const maxReasons = 1_000

/**
 * Makes the function that makes attempts. The function resolves to the end of the attempt, which the caller stores. `lost`: another worker
 * has the run now. `given back`: nothing was begun, and the store has the run back, without a counted attempt. When `signal` aborts, the
 * attempt is aborted.
 */
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
    if (lease.run.cancelled) return { kind: 'cancelled', error: cancelledError }
    const lacking = options.lacks(lease.run)
    if (lacking !== undefined && mayGoElsewhere(lease)) {
      warnOnce(`this gateway lacks ${lacking}`, 'runs wait for a gateway whose configuration has what they need')
      return giveBack(attempt, restMs, `this gateway lacks ${lacking}`)
    }
    const early = await endBefore(attempt)
    if (early !== undefined) return early
    if (lease.reply !== undefined) return deliverReply(attempt, lease.reply)
    const { store, comments } = options
    const { budget, prices } = policy
    const now = (): number => options.clock.now()
    const usedUp = (key: string): void => options.facts.tell({ kind: 'budget_used_up', at: now(), cause: causeOf(lease), key })
    const meter = createMeter({ run: lease.run, isRepeat: lease.attempt > 1, comments, budget, prices, store, now, uncounted, usedUp })
    try {
      const reply = await askAgent(attempt, meter)
      return (await keepNewReply(attempt, reply)) ? await deliverReply(attempt, reply) : 'lost'
    } catch (error) {
      if (error instanceof RunStopped) return 'lost'
      if (error instanceof StoodStill) return giveBack(attempt, 0, 'the gateway stood still before the run began')
      return endOfError(attempt, error)
    } finally {
      transcript.usage = meter.taken()
    }
  }
}

/** Returns the attempt at a run as the cause of a fact. */
const causeOf = ({ run: { profile, route, deliveryId, job, eventId }, attempt }: Lease): RunCause => ({
  profile,
  route,
  deliveryId,
  job,
  eventId,
  attempt,
})

type Attempt = {
  readonly options: AttemptOptions
  /** Gives runs their turns where their route has a pace. */
  readonly paces: Paces
  readonly signal: AbortSignal
  readonly lease: Lease
  readonly policy: RunPolicy
  readonly transcript: Transcript
}

/** Returns the end of an attempt that must not begin, or that waits for a target; `undefined` where it may begin. */
const endBefore = async (attempt: Attempt): Promise<AttemptEnd | 'lost' | 'given back' | undefined> => {
  const { options, paces, lease, policy } = attempt
  // Here the process died, or its lease ran out, during the last attempt that the run may have. (An orderly stop gives the run another
  // attempt.)
  if (lease.interrupted && lease.attempt > policy.retry.maxAttempts)
    return { kind: 'dead', error: `out of attempts after ${policy.retry.maxAttempts}: the process ended during each` }
  if (lease.interrupted && policy.startsOnce && lease.reply === undefined)
    return { kind: 'dead', error: 'the process ended during the run, and a job is not started twice' }
  const unbegun = policy.start && notBegun(lease, policy.start, options.clock.now())
  if (unbegun?.kind === 'wait') {
    const given = await giveBack(attempt, unbegun.waitMs, unbegun.why)
    if (unbegun.isHeld && given === 'given back') options.held.add(lease)
    return given
  }
  if (unbegun) return unbegun
  const turnMs = await untilTurn(attempt)
  if (turnMs !== undefined && turnMs > 0) return giveBack(attempt, turnMs, 'the run waits for its turn: rate_limit of its route')
  const waitMs = mayWait(attempt) ? options.outages?.waitBefore(lease) : undefined
  if (waitMs !== undefined) return giveBack(attempt, waitMs, 'the run waits until its target works again')
  if (turnMs !== undefined) paces.began(lease)
  return undefined
}

/**
 * Returns the time until it is the run's turn, in milliseconds, and at most until the run expires; `undefined` where the run need not wait
 * for a turn. A run that was begun before has had its turn.
 */
const untilTurn = async ({ options: { clock }, paces, lease, policy: { start } }: Attempt): Promise<number | undefined> => {
  if (start?.perMinute === undefined || lease.attempt > 1 || lease.reply !== undefined) return undefined
  return Math.min(await paces.waitMs(lease, start.perMinute), leftMs(lease, start, clock.now()) + 1)
}

/** Returns the end of an attempt in which the agent gave no reply. Any other error than `Unanswered` is thrown on. */
const endOfError = (attempt: Attempt, error: unknown): RunEnd => {
  if (!(error instanceof Unanswered)) throw error
  if (attempt.policy.startsOnce || error.isFinal) return { kind: 'dead', error: error.message }
  return endOfFailure(attempt, error.message, { askedMs: error.retryAfterMs })
}

/**
 * Whether the run may be given back, for another process to take. Only this lease says that an earlier attempt was interrupted. Where that
 * attempt may have sent its reply or started a job, the next process would not know of it, and would do the same again.
 */
const mayGoElsewhere = ({ interrupted, reply, run }: Lease): boolean => !interrupted || (reply === undefined && run.job === undefined)

/**
 * Whether the run may wait here for a target that is down. A run that may have delivered its reply goes on, as for `mayGoElsewhere`. With
 * `when_down: run`, only the delivery of the reply waits.
 */
const mayWait = ({ lease, policy }: Attempt): boolean => (lease.reply === undefined ? policy.whenDown === 'hold' : !lease.interrupted)

/** Gives a run back that was not begun. The attempt does not count, and is not recorded. `lost`: another worker has the run already. */
const giveBack = async ({ options, signal, lease }: Attempt, afterMs: number, error: string): Promise<'lost' | 'given back'> => {
  const end: RunEnd = { kind: 'again', afterMs, error, uncounted: true }
  return (await persistRun(lease, () => options.store.finish(lease, end), options, signal)) ? 'given back' : 'lost'
}

/** Stores the agent's reply, and tells that it is stored. `false`: another worker has the run. */
const keepNewReply = async ({ options, signal, lease }: Attempt, reply: string): Promise<boolean> => {
  const isKept = await persistRun(lease, () => options.store.keepReply(lease, reply), options, signal)
  if (isKept) options.facts.tell({ kind: 'run_replied', eventId: lease.run.eventId, reply: isSilent(reply) ? '' : reply })
  return isKept
}

/** Adds the reply to the run's session, sends it to the targets, and returns the end of the attempt. */
const deliverReply = async (attempt: Attempt, reply: string): Promise<AttemptEnd | 'lost' | 'given back'> => {
  const { options, signal, lease, transcript } = attempt
  transcript.reply = reply
  // The session gets the reply even where an earlier attempt has stored the reply, because the process may have died between the two steps.
  // Nothing is added twice.
  await persistRun(lease, () => options.conversations.keep(lease.run, mergedPrompt(lease.run).text, reply), options, signal)
  if (isSilent(reply)) return { kind: 'done', silent: true }
  const keep = (progress: Progress): Promise<boolean> =>
    persistRun(lease, () => options.store.keepReply(lease, reply, progress), options, signal)
  const delivered = await deliver({
    run: lease.run,
    text: reply,
    traceparent: transcript.span?.traceparent,
    progress: lease.progress,
    interrupted: lease.interrupted && lease.reply !== undefined,
    // Progress at a first attempt means that the run was dead and an operator revived it.
    revived: lease.attempt === 1,
    send: options.send,
    repeatable: options.repeatable,
    signal,
    answered: (answer) => transcript.answers.push(answer),
    keep,
    isOurs: async (progress) =>
      !options.leases.mayBeLost(lease) ||
      persistRun(lease, () => options.leases.confirm(lease, () => options.store.keepReply(lease, reply, progress)), options, signal),
  })
  if (delivered.kind === 'lost') return 'lost'
  if (delivered.kind === 'done') return { kind: 'done', to: delivered.to }
  if (delivered.kind === 'failed') return { kind: 'dead', error: delivered.error }
  return endOfDelivery(attempt, delivered)
}

/**
 * Returns the end of an attempt that left a target to be tried again. The attempt does not count where the receivers fail with other texts
 * too. So a run does not end as dead while it only waits for a target that is down, even where another target has failed at the last
 * attempt.
 */
const endOfDelivery = async (attempt: Attempt, postponed: Postponed): Promise<AttemptEnd | 'lost' | 'given back'> => {
  const { options, signal, lease, policy } = attempt
  const { error, retryAfterMs: askedMs, gaveUp, hasFailed, isSuspected, waitsFor, isUntried } = postponed
  const isOutage = isSuspected || waitsFor.length > 0
  if (signal.aborted || !isOutage || (hasFailed && lease.attempt < policy.retry.maxAttempts))
    return endOfFailure(attempt, error, { askedMs, counts: gaveUp })
  const counted = gaveUp ? {} : { uncounted: true as const }
  if (isSuspected) return { kind: 'again', afterMs: delayAfter(lease.attempt, policy.retry, askedMs), error, ...counted }
  const waitMs = options.outages?.waitFor(lease, waitsFor) ?? 0
  if (isUntried && lease.reply !== undefined) return giveBack(attempt, waitMs, error)
  return { kind: 'again', afterMs: waitMs, error, ...counted, waits: true }
}

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
const endOfFailure = ({ signal, lease, policy: { retry } }: Attempt, error: string, { askedMs, counts = false }: Failure): RunEnd => {
  // The stop aborted the attempt and nothing failed, so the run is due at the next start.
  if (signal.aborted) return { kind: 'again', afterMs: 0, error, ...(counts ? {} : { uncounted: true }) }
  if (lease.attempt >= retry.maxAttempts) return { kind: 'dead', error }
  return { kind: 'again', afterMs: delayAfter(lease.attempt, retry, askedMs), error }
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
