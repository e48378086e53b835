/**
 * Makes the run that reports the end of another run to the `callback` of its route. It is a run of its own, so that the post is tried again
 * as every delivery is, also after a crash. No agent is asked: its prompt is the text to post.
 */

import { hash } from 'node:crypto'
import { hourMs } from '../core/clock.ts'
import type { Delivery, NewRun } from '../core/new-run.ts'
import type { RunAgain, RunEnd } from '../core/run-end.ts'
import { cut } from '../core/text.ts'
import type { Claim } from '../store/ports.ts'
import { type AttemptOptions, persistRun } from './attempt/attempt.ts'
import type { MakeAttempt } from './attempt/make-attempt.ts'

/** The longest reply in a report, in UTF-16 units. */
const maxReplyUnits = 200_000

export type ReportOptions = {
  /** Returns where the end of a run is to be reported; `undefined` where nowhere. */
  readonly callback?: (run: NewRun) => Delivery | undefined
}

/**
 * Returns `makeAttempt` with reports, and with ends that quote no secret: an end is redacted here, once for its report, its record and the
 * store. The run that reports an end is committed before the end is stored. A crash in between repeats the end, and finds the claim of the
 * report. When `signal` aborts while the store fails, rejects with the StoreFault.
 */
export const reportingEnds = (
  makeAttempt: MakeAttempt,
  options: Pick<AttemptOptions, 'store' | 'log' | 'clock' | 'redact'> & ReportOptions,
  signal: AbortSignal,
): MakeAttempt => {
  const { store, clock, callback, redact } = options
  return async (lease, transcript) => {
    const made = await makeAttempt(lease, transcript)
    if (made === 'lost') return made
    const end = made.kind === 'done' ? made : { ...made, error: redact(made.error) }
    if (end.kind === 'again' || lease.run.callback) return end
    const delivery = callback?.(lease.run)
    if (!delivery) return end
    const { run, claim } = reportOf(lease.run, { end, reply: transcript.reply }, delivery, clock.now())
    await persistRun(lease, async () => (await store.accept(run, claim)) === 'accepted', options, signal)
    return end
  }
}

/**
 * Returns the id of the event whose runs report the ends of an event's run. It follows from the event's id, so that an erasure of the event
 * finds reports that wait, too.
 */
export const callbackEventId = (eventId: string): string =>
  hash('sha256', `callback ${eventId}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')

/**
 * Returns the run that posts a report to `delivery`, and its claim. The body is `{status, route, event, delivery_id, event_id}`, and where
 * there is one, `reply` or `error`.
 */
const reportOf = (
  { eventId, profile, route, event, deliveryId }: NewRun,
  { end, reply }: { readonly end: Exclude<RunEnd, RunAgain>; readonly reply: string | undefined },
  delivery: Delivery,
  now: number,
): { readonly run: NewRun; readonly claim: Claim } => {
  const about = { status: end.kind, route, event, delivery_id: deliveryId, event_id: eventId }
  const isSilent = end.kind === 'done' && end.silent
  const said = reply === undefined || isSilent ? {} : { reply: cut(reply, maxReplyUnits) }
  const failed = end.kind === 'done' ? {} : { error: end.error }
  const run: NewRun = {
    eventId: callbackEventId(eventId),
    profile,
    route,
    event,
    // Receivers distinguish posts by it: a dead run that is revived and done has two ends.
    deliveryId: `callback:${end.kind}:${eventId}`,
    prompt: JSON.stringify({ ...about, ...said, ...failed }),
    delivery,
    acceptedAt: now,
    callback: true,
  }
  // The key begins with an empty profile name, so no sender can choose a delivery id that claims it.
  return { run, claim: { key: `/callback/${end.kind}/${eventId}`, holdMs: hourMs } }
}
