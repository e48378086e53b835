/** Describes an attempt and its end, for the fact `attempt_ended`. */

import type { Clock } from '../../core/clock.ts'
import type { RunAttempt, RunUsage, ToolCallMade } from '../../core/facts/fact.ts'
import type { RunEnd } from '../../core/run-end.ts'
import { type EventTraces, type SpanPlace, spanPlaceBelow } from '../../core/telemetry/trace-context.ts'
import { targetNames } from '../../parts/destination.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import type { Lease } from '../../store/ports.ts'
import { mergedPrompt } from '../merged-prompt.ts'

/** Makes the fields of a log line about a run: they say which run, event and attempt the line is about. */
export const runFields = ({ run, attempt }: Lease) => ({
  route: run.route || undefined,
  job: run.job,
  profile: run.profile,
  delivery_id: run.deliveryId,
  event_id: run.eventId,
  event_type: run.event,
  attempt,
})

/**
 * Agent, reply, usage, calls of tools and targets' answers of an attempt, collected while the attempt goes on. They are only for observers.
 * `startedAt`: when the attempt began, in milliseconds since 1970; `begun`: the same by the monotonic clock. `span`: the attempt's place in
 * its trace.
 */
export type Transcript = {
  readonly startedAt: number
  readonly begun: number
  readonly span: SpanPlace | undefined
  /** The name of the agent, once it is asked. */
  agent?: string
  reply?: string
  usage?: RunUsage | undefined
  readonly toolCalls: ToolCallMade[]
  readonly answers: string[]
}

/** Makes the transcript of an attempt at a run that begins now. `traces`: `undefined` while traces are off. */
export const beginTranscript = ({ run }: Lease, clock: Clock, traces: EventTraces | undefined): Transcript => ({
  startedAt: clock.now(),
  begun: clock.monotonic(),
  span: spanPlaceBelow(traces?.placeOf(run).traceparent),
  toolCalls: [],
  answers: [],
})

export const describeAttempt = (
  { run, attempt }: Lease,
  end: RunEnd,
  clock: Clock,
  { startedAt, begun, span, agent, reply, usage, toolCalls, answers }: Transcript,
): RunAttempt => ({
  eventId: run.eventId,
  eventType: run.event,
  profile: run.profile,
  route: run.route,
  deliveryId: run.deliveryId,
  job: run.job,
  span,
  // An end without an attempt: the run was only taken to record the end.
  attempt: end.kind === 'cancelled' || end.kind === 'expired' ? attempt - 1 : attempt,
  agent: run.agent ?? (agent === defaultAgent ? undefined : agent),
  target: (end.kind === 'done' && end.to?.join(', ')) || targetNames(run.delivery),
  merged: run.merged,
  prompt: mergedPrompt(run).text,
  reply,
  usage,
  toolCalls,
  answers,
  acceptedAt: run.acceptedAt,
  startedAt,
  ms: clock.monotonic() - begun,
  endedAt: clock.now(),
  end,
})
