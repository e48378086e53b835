/** The status of one event, put together from the journal and the standing of its run in the store. */

import { traceIdOfEvent } from '../../core/telemetry/trace-context.ts'
import type { EventView } from '../../journal/record.ts'
import type { EventState } from './event-selection.ts'

export type EventStatus = {
  readonly event: EventView
  /** `unknown`: the store has no run of the event any more, and the journal does not have the run's end. */
  readonly state: EventState
  readonly attempt: number
  /** The time of the next attempt at the run; absent where none is planned. */
  readonly nextAt?: string
  readonly error?: string
}

/** An event as JSON for programs. Every member is present, with `null` where nothing is known. */
export type EventJson = ReturnType<typeof describeEvent>

/** Returns the request that the event is one of several of, and the route that dispatched it. */
const placeInRequest = ({ batch_of, batch_index, dispatched_by }: EventView) => ({
  batch_of: batch_of ?? null,
  batch_index: batch_index ?? null,
  dispatched_by: dispatched_by ?? null,
})

/** Returns the work of the event: who did it, where the result went, and the group that it belongs to. */
const workOf = ({ agent, target, answer, job, group, count }: EventView) => ({
  agent: agent ?? null,
  target: target ?? null,
  answer: answer ?? null,
  job: job ?? null,
  group: group ?? null,
  count: count ?? null,
})

/** Returns the status of an event as JSON for programs. */
export const describeEvent = ({ event, state, attempt, nextAt, error }: EventStatus) => ({
  event_id: event.event_id,
  at: event.at,
  profile: event.profile,
  route: event.route,
  event_type: event.event_type ?? null,
  delivery_id: event.delivery_id ?? null,
  outcome: event.outcome,
  reason: event.reason ?? null,
  stage: event.stage ?? null,
  status: event.status ?? null,
  duration_ms: event.duration_ms ?? null,
  ...workOf(event),
  ...placeInRequest(event),
  replay_of: event.replay_of ?? null,
  edited: event.edited ?? false,
  unverified: event.unverified !== undefined,
  state,
  attempt,
  error: error ?? null,
  next_at: nextAt ?? null,
  ended_at: event.ended_at ?? null,
  ended_by: event.ended_by ?? null,
  ends: event.ends ? { count: event.ends.count, events: [...event.ends.events] } : null,
  silent: event.silent ?? false,
  payload_kept: event.raw !== undefined,
  trace_id: traceIdOfView(event) ?? null,
})

/** Returns the id of an event's trace; `undefined` where traces were off. */
export const traceIdOfView = ({ event_id, traced, trace_id }: EventView): string | undefined =>
  trace_id ?? (traced ? traceIdOfEvent(event_id) : undefined)

/** Returns the source of an event, for people: its route, or the scheduled job without a route (`job:nightly`). */
export const eventSource = ({ route, job }: EventView): string => (route === '' && job !== undefined ? `job:${job}` : route)

/** Returns the outcome of an event, for people. The outcome of an ignored event names the stage that ignored it: `ignored:filters`. */
export const outcomeOf = ({ outcome, stage }: Pick<EventView, 'outcome' | 'stage'>): string =>
  outcome === 'ignored' && stage !== undefined ? `${outcome}:${stage}` : outcome
