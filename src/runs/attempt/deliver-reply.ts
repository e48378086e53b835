/** Delivers the reply of a run, and decides how the attempt ends. */

import type { DeliveryProgress } from '../../core/new-run.ts'
import { giveBack, type RunEnd } from '../../core/run-end.ts'
import { delayAfter } from '../backoff.ts'
import { deliver, type Undelivered } from '../deliver.ts'
import { mergedPrompt } from '../merged-prompt.ts'
import { type Attempt, endOfFailure, persistRun } from './attempt.ts'

/** The lines with which an agent asks that nothing be sent (rules: Runs 4). */
const silentWords = new Set(['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY'])

/** Whether a reply is empty, or its first or last line is one of the silent words. */
export const isSilent = (reply: string): boolean => {
  const text = reply.trim()
  if (text === '') return true
  const first = text.slice(0, 64).split('\n', 1)[0] as string
  const last = text.slice(-64).split('\n').at(-1) as string
  return silentWords.has(first.trim()) || silentWords.has(last.trim())
}

/** Adds the reply to the run's session, sends it to the targets, and returns the end of the attempt. */
export const deliverReply = async (attempt: Attempt, reply: string): Promise<RunEnd | 'lost'> => {
  const { options, signal, lease, transcript } = attempt
  // The text of a direct delivery is no reply: it is sent whatever it says, and its record has it as the prompt.
  const isReply = !lease.run.direct
  if (isReply) transcript.reply = reply
  // The session gets the reply even where an earlier attempt has stored the reply, because the process may have died between the two steps.
  // Nothing is added twice.
  await persistRun(lease, () => options.conversations.keep(lease.run, mergedPrompt(lease.run).text, reply), options, signal)
  if (isReply && isSilent(reply)) return { kind: 'done', silent: true }
  const withheld = await whyWithheld(attempt)
  if (withheld) return withheld
  const keep = (progress: DeliveryProgress): Promise<boolean> =>
    persistRun(lease, () => options.store.keepReply(lease, reply, progress), options, signal)
  const delivered = await deliver({
    run: lease.run,
    text: reply,
    traceparent: transcript.span?.traceparent,
    progress: lease.progress,
    interrupted: lease.interrupted && lease.reply !== undefined,
    // After a crash, other runs in the store may be for the same receiver. The backlog has at least two runs then, and only the others can
    // show whether the receiver is down or cannot take this text.
    resumed: lease.interrupted && !options.store.hasRoom(2),
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
  return delivered !== 'lost' && delivered.kind === 'again' ? endOfUndelivered(attempt, delivered) : delivered
}

/**
 * Returns the end of an attempt whose reply must not be delivered, or not now, by `deliver_if` of its route; `undefined` where it is delivered.
 * Where a target has the reply, the others get it too.
 */
const whyWithheld = async (attempt: Attempt): Promise<RunEnd | undefined> => {
  const { options, lease } = attempt
  if (!lease.run.deliverIf || lease.progress?.includes(true)) return undefined
  const verdict = await options.mayDeliver?.(lease.run)
  if (!verdict || verdict.kind === 'deliver') return undefined
  if (verdict.kind === 'again') return endOfFailure(attempt, verdict.why, { askedMs: verdict.retryAfterMs })
  const mayHave = lease.interrupted && lease.reply !== undefined ? '; the attempt before this one may have delivered the reply' : ''
  return { kind: 'stale', error: `stale: ${verdict.why}${mayHave}` }
}

/**
 * Returns the end of an attempt that left a target to be tried again. The attempt does not count where the receivers fail with other texts
 * too. So a run does not end as dead while it only waits for a target that is down, even where another target has failed at the last
 * attempt.
 */
const endOfUndelivered = (attempt: Attempt, { error, open, retryAfterMs: askedMs, gaveUp, isUntried }: Undelivered): RunEnd => {
  const { options, signal, lease, policy } = attempt
  const outages = [...open.values()].map(({ outage }) => outage)
  // Whether a target failed, or its sending was aborted by the stop, while its receiver takes other texts.
  const hasFailed = outages.includes(undefined)
  // Whether a receiver fails with other texts too, though its breaker is still closed.
  const isSuspected = outages.includes('suspected')
  const waitsFor = [...open].flatMap(([position, { outage }]) => (outage === 'held' || outage === 'open' ? position : []))
  const isOutage = isSuspected || waitsFor.length > 0
  if (signal.aborted || !isOutage || (hasFailed && lease.attempt < policy.retry.maxAttempts))
    return endOfFailure(attempt, error, { askedMs, counts: gaveUp })
  const counted = gaveUp ? {} : { uncounted: true as const }
  if (isSuspected) return { kind: 'again', afterMs: delayAfter(lease.attempt, policy.retry, askedMs), error, ...counted }
  const waitMs = options.outages?.waitFor(lease, waitsFor) ?? 0
  if (isUntried && lease.reply !== undefined) return giveBack(waitMs, error)
  return { kind: 'again', afterMs: waitMs, error, ...counted, waits: true }
}
