/**
 * An observer that writes records to the journal: of verified requests and a few refused ones, of starts of jobs, of ends of attempts, and
 * of revivals.
 */

import { mapScalars } from '../core/exact-json.ts'
import type { KeptRefusal, RequestEnded, RunAttempt } from '../core/facts/fact.ts'
import type { Observer } from '../core/facts/facts.ts'
import type { ExactObject } from '../core/json.ts'
import { outcomeName, outcomeReason, outcomeStatus } from '../core/outcome-table.ts'
import { contextOf, type EventTraces } from '../core/telemetry/trace-context.ts'
import { cut, excerpt } from '../core/text.ts'
import { renderJson } from '../expr/render.ts'
import { signature } from '../parts/stages/signature.ts'
import {
  erasedError,
  type Journal,
  type NewRecord,
  type RawRequest,
  type RecordedUsage,
  type RunEndedRecord,
  type Tried,
  type Unverified,
} from './record.ts'

export type JournalObserverOptions = {
  readonly journal: Journal
  /** Whether raw requests, prompts and replies are kept. Called for each record, because a reload may change the setting. */
  readonly keepsPayloads: () => boolean
  /** Removes known secrets from reasons, answers, prompts and replies before they are written. */
  readonly redact: (text: string) => string
  /** Absent while traces are off. */
  readonly traces?: EventTraces | undefined
}

export const createJournalObserver = ({ journal, keepsPayloads, redact, traces }: JournalObserverOptions): Observer<'journal'> => {
  const timeOf = createTimeFormat()
  return {
    handlers: {
      request_ended(fact) {
        const received = receivedOf(fact, { redact, timeOf, traces })
        // The body of a request that was split is kept once, with the record of the request.
        if (received) journal.add(received, keepsPayloads() && !fact.batch ? rawRequestOf(fact) : undefined)
      },
      signatures_refused({ at, eventId, profile, route, count }) {
        const refused = { outcome: 'bad_signature', stage: signature.name, status: 401, duration_ms: 0, count }
        const reason = `${count} more were refused in the last minute`
        journal.add({ kind: 'received', at: isoTime(at), event_id: eventId, profile, route, ...refused, reason })
      },
      job_started(fact) {
        const { at, eventId, profile, job, deliveryId } = fact
        const about = { at: isoTime(at), event_id: eventId, profile, delivery_id: deliveryId, job }
        journal.add({ kind: 'started', ...about, trace_id: traces?.traceIdOf(fact) })
      },
      attempt_ended({ run }) {
        const record = { ...attemptRecord(run, isoTime(run.endedAt)), answer: answerText(run.answers, redact), ...usageOf(run, redact) }
        journal.add(record, keepsPayloads() ? wordsOf(run, redact) : undefined)
      },
      run_revived: ({ at, eventId }) => journal.add({ kind: 'revived', at: isoTime(at), event_id: eventId }),
      run_erased({ at, run: { eventId, profile, route, eventType, attempts } }) {
        const end = { state: 'dead', attempt: attempts, error: erasedError } as const
        journal.add({ kind: 'ended', at: isoTime(at), event_id: eventId, profile, route, event_type: eventType, delivery_id: '', ...end })
      },
    },
    flushed: () => journal.flushed(),
  }
}

const keptRefusalOf = ({ refusal }: RequestEnded): KeptRefusal | undefined => (refusal === 'counted' ? undefined : refusal?.kept)

/** Returns the raw request that is kept with the record of a request: of a verified request, or of a refused request that may be kept. */
const rawRequestOf = (fact: RequestEnded): RawRequest | undefined => {
  const { headers, ended } = fact
  if (ended.verified) {
    const { method, pathAndQuery, headers, body } = ended.verified
    return { method: otherThanPost(method), pathAndQuery, headers: headers as RawRequest['headers'], body }
  }
  const kept = keptRefusalOf(fact)
  const { method, pathAndQuery, headers: shown = headers } = ended.unverified ?? {}
  return (
    kept && {
      method: otherThanPost(method),
      pathAndQuery,
      headers: shown as RawRequest['headers'],
      body: kept.body,
      signedIn: kept.signedIn,
    }
  )
}

const otherThanPost = (method: string | undefined): string | undefined => (method === 'POST' ? undefined : method)

const unverifiedOf = (fact: RequestEnded): Unverified | undefined => {
  const kept = keptRefusalOf(fact)
  return kept && { address: kept.address, proxied: kept.isProxied }
}

const isoTime = (ms: number): string => new Date(ms).toISOString()

type Formats = Pick<JournalObserverOptions, 'redact' | 'traces'> & { readonly timeOf: (ms: number) => string }

/**
 * Returns a function that formats times (milliseconds since 1970) as ISO 8601. It remembers the text of the last second: formatting each
 * time from scratch would take a third of the work on a record.
 */
const createTimeFormat = (): Formats['timeOf'] => {
  let last = { second: Number.NaN, text: '' }
  return (ms) => {
    const second = Math.floor(ms / 1000)
    if (second !== last.second) last = { second, text: isoTime(second * 1000).slice(0, -'000Z'.length) }
    return `${last.text}${String(Math.floor(ms - second * 1000)).padStart(3, '0')}Z`
  }
}

/**
 * Makes the record of a request. `undefined`: the request leaves no record, because it has no route, or because it was not verified and is
 * not one of the few refused signatures that leave a record. The object has all keys, even those without a value: V8 makes objects of one
 * shape ten times as fast, and JSON leaves out keys whose value is `undefined`.
 */
const receivedOf = (fact: RequestEnded, { redact, timeOf, traces }: Formats): NewRecord | undefined => {
  const { ended, route, ms, batch, replay, refusal } = fact
  const { outcome, stage, verified, event } = ended
  const request = verified ?? (refusal === 'counted' ? undefined : refusal)
  if (!request || !route) return undefined
  const reason = outcomeReason(outcome)
  const isDelivered = outcome.kind === 'delivered'
  return {
    kind: 'received',
    at: timeOf(request.at),
    event_id: request.eventId,
    profile: route.profile,
    route: route.name,
    event_type: event?.eventType,
    delivery_id: event?.deliveryId,
    outcome: outcomeName(outcome),
    status: outcomeStatus(outcome),
    reason: reason === undefined ? undefined : redact(reason),
    stage,
    duration_ms: Math.round(ms() * 1000) / 1000,
    target: isDelivered ? outcome.target : undefined,
    answer: isDelivered ? answerText(outcome.answers, redact) : undefined,
    job: outcome.kind === 'accepted' ? outcome.cronJob : undefined,
    group: outcome.kind === 'coalesced' ? outcome.group : undefined,
    ends: 'ended' in outcome && outcome.ended ? { count: outcome.ended.count, events: outcome.ended.ids } : undefined,
    batch_of: batch?.of,
    batch_index: batch?.index,
    dispatched_by: batch?.by ?? replay?.by,
    replay_of: replay?.of,
    edited: replay?.isEdited ? true : undefined,
    unverified: unverifiedOf(fact),
    traced: traces ? true : undefined,
    trace_id: event?.traceparent && traces?.traceIdOf({ eventId: request.eventId, traceparent: event.traceparent }),
  }
}

const maxKeptChars = 65_536
const maxAnswerChars = 2_000

/** The most characters of the input and of the result of a call of a tool, and of those of all calls of an attempt. */
const maxToolTextChars = 4_096
const maxToolChars = 65_536

/**
 * Puts the prompt, the reply and the calls of tools of an attempt into the form of a raw request without headers, because they are stored where payloads are
 * stored, under the same limits.
 */
const wordsOf = ({ prompt, reply, toolCalls }: RunAttempt, redact: Formats['redact']): RawRequest => {
  // The text is cut before it is redacted, because redacting a huge text is slow, and is cut again afterwards. The first cut may split a
  // secret, which `redact` then does not know. The second cut removes the end of the text with that piece.
  const kept = (text: string, max = maxKeptChars): string => cut(redact(cut(text, 2 * max)), max)
  let left = maxToolChars
  const keptOfTool = (text: string): string => {
    const short = left > 0 ? kept(text, Math.min(left, maxToolTextChars)) : ''
    left -= short.length
    return short
  }
  const tool_calls = toolCalls.map(({ input, result, ms, ...call }) => ({
    ...call,
    ...(ms === undefined ? {} : { duration_ms: Math.round(ms) }),
    input: keptOfTool(textOfInput(input, redact)),
    ...(result === undefined ? {} : { result: keptOfTool(result) }),
  }))
  const payload = {
    prompt: kept(prompt),
    ...(reply === undefined ? {} : { reply: kept(reply) }),
    ...(toolCalls.length > 0 ? { tool_calls } : {}),
  }
  return { headers: {}, body: Buffer.from(JSON.stringify(payload)) }
}

/** Returns the input of a tool as JSON. Its texts are redacted one by one, because in JSON a secret may be spelt with escapes. */
const textOfInput = (input: ExactObject, redact: Formats['redact']): string => {
  const hidden = mapScalars(input, (scalar) => (typeof scalar === 'string' ? redact(cut(scalar, 2 * maxToolTextChars)) : scalar))
  return renderJson(hidden, 2 * maxToolTextChars, 0)
}

const answerText = (answers: readonly string[], redact: Formats['redact']): string | undefined =>
  answers.length === 0 ? undefined : redact(excerpt(answers.join('; '), maxAnswerChars))

const usageOf = ({ usage }: RunAttempt, redact: Formats['redact']): { readonly usage?: RecordedUsage } => {
  if (!usage) return {}
  const { steps, inputTokens, outputTokens, cost, isCostTold, tools, session, refused } = usage
  const recorded = {
    steps,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cost === undefined ? {} : { cost }),
    ...(isCostTold ? { cost_told: true as const } : {}),
    tools,
    ...(session === undefined ? {} : { session: redact(session) }),
    ...(refused ? { refused: refused.map(redact) } : {}),
  }
  return { usage: recorded }
}

const attemptRecord = (run: RunAttempt, at: string): Tried | RunEndedRecord => {
  const { end, eventId, attempt, profile, route, eventType, deliveryId, agent, target, job, merged, span, ms } = run
  const about = { profile, route, event_type: eventType, delivery_id: deliveryId }
  const asked = agent === undefined ? {} : { agent }
  const work = { attempt, duration_ms: Math.round(ms), ...asked, target, ...(job === undefined ? {} : { job }) }
  if (end.kind === 'again') {
    return { kind: 'tried', at, event_id: eventId, ...about, ...work, error: end.error, next_at: isoTime(run.endedAt + end.afterMs) }
  }
  return {
    kind: 'ended',
    at,
    event_id: eventId,
    ...about,
    state: end.kind,
    ...work,
    ...('by' in end && end.by !== undefined ? { ended_by: end.by } : {}),
    ...(end.kind !== 'done' ? { error: end.error } : end.silent ? { silent: true } : {}),
    ...(merged ? { group: merged.group, count: merged.count } : {}),
    ...(span ? { trace_id: contextOf(span).traceId } : {}),
  }
}
