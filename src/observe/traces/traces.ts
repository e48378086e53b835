/**
 * An observer that makes a trace of each event: its request, its attempts with their calls, its deliveries. A few refused requests become a
 * span, too.
 */

import { randomUUID } from 'node:crypto'
import type { Telemetry } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { RequestEnded, RunAttempt } from '../../core/facts/fact.ts'
import type { Observer } from '../../core/facts/facts.ts'
import type { Log } from '../../core/log.ts'
import { isTakenOutcome } from '../../core/outcome-table.ts'
import { broughtTraceparent, contextOf, type EventTraces, parseTraceparent, type TraceContext } from '../../core/telemetry/trace-context.ts'
import { cut } from '../../core/text.ts'
import { Allowance } from '../../core/turns/allowance.ts'
import { createMergedEvents } from './merged-events.ts'
import { createOtlpSender } from './otlp-sender.ts'
import { requestSpan, stageSpans } from './request-span.ts'
import { createSampledSpans, type SampledSpans } from './sampled-spans.ts'
import { SpanQueue } from './span-queue.ts'
import { attemptSpan, deliverySpan, jobSpan, modelSpan, type SpanContent, toolSpan } from './work-spans.ts'

export type TracesOptions = {
  readonly telemetry: Telemetry & { readonly traces: NonNullable<Telemetry['traces']> }
  /** Knows where in its trace an event is. */
  readonly places: EventTraces
  readonly clock: Clock
  readonly log: Log
  readonly redact: (text: string) => string
}

export type Traces = Observer<'traces'> & {
  /** Sends the last spans, for at most a few seconds. */
  close(): Promise<void>
}

const lastMs = 3_000
/** The most spans in a second of requests that were refused before anybody vouched for them. */
const strangersPerSecond = 10
const maxContentChars = 16_384

export const openTraces = ({ telemetry, places, clock, log, redact }: TracesOptions): Traces => {
  const send = createOtlpSender(telemetry.traces, telemetry)
  const queue = new SpanQueue({ send, clock, log })
  const spans = createSampledSpans((span) => queue.add(span))
  // The text is cut before it is redacted, because redacting a huge text is slow, and again after: the first cut may split a secret.
  const content: SpanContent = (text) =>
    telemetry.content && text !== undefined ? cut(redact(cut(text, 2 * maxContentChars)), maxContentChars) : undefined
  return { ...createSpanObserver({ spans, content, places, clock }), close: () => queue.close(lastMs) }
}

type SpanObserverOptions = Pick<TracesOptions, 'places' | 'clock'> & {
  readonly spans: SampledSpans
  readonly content: SpanContent
}

const createSpanObserver = ({ spans, content, places, clock }: SpanObserverOptions): Observer<'traces'> => {
  const merged = createMergedEvents()
  const strangers = new Allowance(clock, strangersPerSecond, 1_000)

  const onRequest = (fact: RequestEnded): void => {
    const { outcome, verified, event } = fact.ended
    const isFailure = outcome.kind === 'refused' && (verified !== undefined || outcome.code === 'internal')
    if (outcome.kind === 'refused' && !isFailure && !strangers.take(1)) return
    const recorded = fact.refusal === 'counted' ? undefined : fact.refusal
    const eventId = verified?.eventId ?? recorded?.eventId ?? randomUUID()
    // Nothing follows a request that made no work, so no later failure can ask for its span.
    const isLast = !isTakenOutcome(outcome) && event?.traceparent === undefined
    if (isLast && !isFailure && !places.isSampled(eventId)) return
    const place = places.placeOf({ eventId, traceparent: event?.traceparent })
    if (outcome.kind === 'coalesced') merged.add(outcome.group, contextOf(place))
    spans.add([requestSpan(fact, place, linksOf(fact), clock.now()), ...stageSpans(fact.ended, place, clock)], isFailure)
  }

  /** Returns links to what a request names and is no part of: the caller's trace, the event that it replays, the group that it joined. */
  const linksOf = ({ headers, ended: { outcome, event }, replay }: RequestEnded): readonly TraceContext[] => {
    const brought = event?.traceparent === undefined && !replay ? broughtTraceparent(headers) : undefined
    const caller = brought === undefined ? undefined : parseTraceparent(brought)
    const others = [replay?.of, outcome.kind === 'coalesced' && outcome.group !== event?.eventId ? outcome.group : undefined]
    return [...(caller ? [caller] : []), ...others.flatMap((id) => (id === undefined ? [] : contextOf(places.placeOf({ eventId: id }))))]
  }

  const onAttempt = (run: RunAttempt): void => {
    if (!run.span) return
    const { traceId } = contextOf(run.span)
    const links = run.merged ? eventsOf(run.merged.group).filter((event) => event.traceId !== traceId) : []
    if (run.merged && run.end.kind !== 'again') merged.forget(run.merged.group)
    spans.add([attemptSpan(run, run.span, links, content)], run.end.kind !== 'done' || run.attempt > 1)
  }

  /** Returns the remembered events of a group; where none are remembered, as after a restart, the event that opened it. */
  const eventsOf = (group: string): readonly TraceContext[] => {
    const events = merged.of(group)
    return events.length > 0 ? events : [contextOf(places.placeOf({ eventId: group }))]
  }

  return {
    handlers: {
      request_ended: onRequest,
      attempt_ended: ({ run }) => onAttempt(run),
      job_started: (fact) => spans.add([jobSpan(fact, places.placeOf(fact))], false),
      text_sent(fact) {
        if (fact.cause.span) spans.add([deliverySpan(fact, fact.cause.span)], !fact.ok)
      },
      model_called(fact) {
        if (fact.cause.span) spans.add([modelSpan(fact, fact.cause.span)], !fact.ok || fact.cause.attempt > 1)
      },
      tool_called(fact) {
        if (fact.cause.span) spans.add([toolSpan(fact, fact.cause.span)], fact.cause.attempt > 1)
      },
    },
  }
}
