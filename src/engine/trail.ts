/** Notes how far a request has come in its plan, and for which stages it waited. */

import type { Clock } from '../core/clock.ts'
import type { EndedItem, StageWait } from '../core/facts/fact.ts'
import type { AwaitedAnswer } from '../core/outcome.ts'
import type { AwaitReply } from '../core/plan.ts'
import type { Event, EventFacts } from '../core/request.ts'

/**
 * How far a request has come: the stage that runs, and the event that this stage got. `whole`: the event with its payload, as long as the
 * payload is in memory.
 */
export type Trail = {
  stage: string
  event: EventFacts | undefined
  whole: Event | undefined
  waits: StageWait[] | undefined
  /** Starts waiting for the reply of the run, where the request's answer is that reply. `awaited`: the answer that waits. */
  readonly awaitReply: AwaitReply | undefined
  awaited: AwaitedAnswer | undefined
  /** The ends of the items, where the request was split. */
  items: readonly EndedItem[] | undefined
  /** When the stage began to wait; `undefined` while it does not wait, and where nobody times the waits. */
  waitsSince: number | undefined
}

/** The clock that times the waits of stages, for traces. */
export type WaitClock = Pick<Clock, 'monotonic'>

export const trailAt = (stage: string, event?: Event, awaitReply?: AwaitReply): Trail => ({
  stage,
  event,
  whole: event,
  waits: undefined,
  awaitReply,
  awaited: undefined,
  items: undefined,
  waitsSince: undefined,
})

/** Puts the event, as a stage has left it, into the trail. */
export const noteEvent = (trail: Trail, event: Event): void => {
  trail.event = event
  trail.whole = event
}

/** Notes that the stage waits from now on. Without a clock, nothing is timed. */
export const beginWait = (trail: Trail, clock: WaitClock | undefined): void => {
  trail.waitsSince ??= clock?.monotonic()
}

/** Adds the wait of a stage to the trail, where the stage waited and a clock times the waits. */
export const endWait = (trail: Trail, stage: string, clock: WaitClock | undefined): void => {
  const { waitsSince: startMs } = trail
  if (startMs === undefined || !clock) return
  trail.waits = [...(trail.waits ?? []), { stage, startMs, endMs: clock.monotonic() }]
  trail.waitsSince = undefined
}

/**
 * Takes the payload out of the trail while the work is stored. A payload that lived that long would survive a garbage collection, which
 * costs more than the storing does.
 */
export const forgetPayload = (trail: Trail, event: Event): void => {
  trail.event = factsOf(event)
  trail.whole = undefined
}

/** Returns the facts of an event, without its payload. */
export const factsOf = ({
  eventId,
  route,
  profile,
  headers,
  eventType,
  eventAlias,
  deliveryId,
  at,
  traceparent,
}: EventFacts): EventFacts => ({
  eventId,
  route,
  profile,
  headers,
  eventType,
  eventAlias,
  deliveryId,
  at,
  traceparent,
})
