/**
 * Makes the lines of traffic that watchers see: two lines for each request (`event` and `outcome`), and one line for each attempt at a run
 * (`delivery`).
 */

import type { RequestEnded, RunAttempt } from '../core/facts/fact.ts'
import { header } from '../core/headers.ts'
import type { Outcome } from '../core/outcome.ts'
import { describeOutcome } from '../core/outcome-table.ts'
import { cut } from '../core/text.ts'
import type { RequestLine, TrafficLine } from '../generated/control.ts'
import type { JournalLine } from '../journal/line.ts'
import type { EventView } from '../journal/record.ts'

type LineHead = Omit<RequestLine, 'type' | 'bytes' | 'remote'>

/** The most characters of a reason or an error in a line. */
const maxReasonChars = 1_024
const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Returns the two lines of a request. `now`: wall time, in milliseconds. `redact` removes known secrets from its reason. */
export const requestLines = (fact: RequestEnded, now: number, redact: (text: string) => string): readonly TrafficLine[] => {
  const { ended, headers } = fact
  const { outcome, verified, event } = ended
  const took = fact.ms()
  const { status, outcome: name, reason } = describeOutcome(outcome)
  const refusal = typeof fact.refusal === 'object' ? fact.refusal : undefined
  const head: LineHead = {
    at: isoTime(verified?.at ?? refusal?.at ?? now - took),
    event_id: verified?.eventId ?? refusal?.eventId ?? null,
    profile: fact.route?.profile ?? null,
    route: shortened(fact.route?.name ?? unservedRoute(outcome)),
    event_type: shortened(event?.eventType ?? header(headers, 'x-github-event', 'x-hosta-event', 'x-gitlab-event', 'x-hostb-event')),
    delivery_id: shortened(event?.deliveryId),
  }
  const length = Number(headers['content-length'])
  const bytes = fact.batch
    ? null
    : (verified?.body.length ?? ended.unverified?.body?.length ?? (Number.isSafeInteger(length) ? length : null))
  return [
    { type: 'event', ...head, bytes, remote: fact.remote() },
    {
      type: 'outcome',
      ...head,
      status,
      outcome: name,
      stage: ended.stage,
      duration_ms: Math.round(took * 1000) / 1000,
      reason: reason === undefined ? null : cut(redact(reason), maxReasonChars),
      target: 'target' in outcome ? outcome.target : null,
    },
  ]
}

const shortened = (text: string | undefined): string | null => (text === undefined ? null : cut(text, 200))

/** Returns the route name in the address of a refused request that found no route. */
const unservedRoute = (outcome: Outcome): string | undefined => (outcome.kind === 'refused' ? outcome.name : undefined)

/** Returns the line of an attempt. The worker has removed known secrets from its error already. */
export const attemptLine = (run: RunAttempt, now: number): TrafficLine => ({
  type: 'delivery',
  at: isoTime(now),
  event_id: run.eventId,
  profile: run.profile,
  route: run.route || null,
  event_type: shortened(run.eventType),
  delivery_id: shortened(run.deliveryId),
  state: run.end.kind === 'again' ? 'waiting' : run.end.kind,
  attempt: run.attempt,
  job: run.job ?? null,
  target: run.target || null,
  error: run.end.kind === 'done' ? null : cut(run.end.error, maxReasonChars),
  next_at: run.end.kind === 'again' ? isoTime(run.endedAt + run.end.afterMs) : null,
  silent: run.end.kind === 'done' && run.end.silent === true,
})

/** Returns the traffic lines of a record that another gateway wrote. Only records of a request and of an attempt have lines. */
export const trafficOfRecord = ({ entry, raw }: JournalLine): readonly TrafficLine[] => {
  if (entry.kind === 'revived' || entry.kind === 'started') return []
  const { at, event_id, profile = null, route, event_type = null, delivery_id = null } = entry
  const head = { at, event_id, profile, route: route || null, event_type, delivery_id }
  if (entry.kind === 'received') {
    // A record with a count stands for many refusals, and not for a request of its own.
    if (entry.count !== undefined) return []
    const { status, outcome, stage, duration_ms, reason = null, target = null } = entry
    return [
      { type: 'event', ...head, bytes: raw?.body_bytes ?? null, remote: null },
      { type: 'outcome', ...head, status, outcome, stage, duration_ms, reason, target },
    ]
  }
  const { attempt, job = null, target = null, error = null } = entry
  const state = entry.kind === 'tried' ? 'waiting' : entry.state
  const next_at = entry.kind === 'tried' ? entry.next_at : null
  const silent = entry.kind === 'ended' && entry.silent === true
  return [{ type: 'delivery', ...head, state, attempt, job, target, error, next_at, silent }]
}

/**
 * Returns the lines of a past event, from its records. An event without a route, such as the start of a job, has no request. Of the
 * attempts only the last has a line, once the run has ended.
 */
export const trafficOfView = (view: EventView): readonly TrafficLine[] => {
  const head: LineHead = {
    at: view.at,
    event_id: view.event_id,
    profile: view.profile,
    route: view.route || null,
    event_type: view.event_type ?? null,
    delivery_id: view.delivery_id ?? null,
  }
  const { status = null, outcome, stage = null, duration_ms = null, reason = null, target = null, state, error = null } = view
  const request: readonly TrafficLine[] =
    view.route === ''
      ? []
      : [
          { type: 'event', ...head, bytes: view.raw?.body_bytes ?? null, remote: null },
          { type: 'outcome', ...head, status, outcome, stage, duration_ms, reason, target },
        ]
  if (state === 'final' || state === 'waiting' || state === 'merged') return request
  const { attempt = 1, job = null, ended_at: at = view.at, silent = false } = view
  return [...request, { type: 'delivery', ...head, at, state, attempt, job, target, error, next_at: null, silent }]
}

export type TrafficFilter = {
  readonly route?: string
  /** Outcomes, with or without the stage: `ignored`, `ignored:filters`. The line of an attempt matches `accepted` and `coalesced`. */
  readonly outcome?: readonly string[]
}

/** Whether the filter asks for the lines of one request or attempt. `lines` is called only where the filter reads them. */
export const wants = ({ route, outcome }: TrafficFilter, lines: () => readonly TrafficLine[]): boolean =>
  (route === undefined && outcome === undefined) ||
  lines().some(
    (line) =>
      (route === undefined || line.route === route) &&
      (outcome === undefined ||
        (line.type === 'outcome' && outcome.some((word) => word === line.outcome || word === `${line.outcome}:${line.stage}`)) ||
        (line.type === 'delivery' && outcome.some((word) => word === 'accepted' || word === 'coalesced'))),
  )
