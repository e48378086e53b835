/** Reads one event with everything that was kept about it: its status, its attempts, and its request with secret headers masked. */

import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { type AttemptView, readAttempts } from '../../datadir/records/event-attempts.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import { describePayload, payloadOf } from './event-payload.ts'
import { describeEvent, type EventStatus } from './event-status.ts'
import { findEvents, repeatedBy } from './events.ts'

export type EventDetail = {
  readonly status: EventStatus
  /** Every attempt, and each retry by hand, oldest first. */
  readonly attempts: readonly AttemptView[]
  /** The event that a duplicate repeats; `undefined` for other events, and where the journal has lost it. */
  readonly repeated: EventView | undefined
  /** The request with its secret headers masked, or a phrase that says why there is none: `not kept: ...`. */
  readonly payload: RawRequest | string
  readonly notices: readonly string[]
}

/**
 * Reads one event. `id`: an event's id, the beginning of an id, or a delivery id. Throws a Fault (exit 5) where the journal has no such
 * event, or several.
 */
export const readEventDetail = async (workspace: Workspace, gateway: GatewayFinder, id: string): Promise<EventDetail> => {
  const { events, notices } = await findEvents(workspace, gateway, [id])
  const [status] = events
  if (!status) throw new Error('an event that was found is not there')
  const { event } = status
  return withRecords(workspace, async (records) => ({
    status: status,
    attempts: await readAttempts(records, event),
    repeated: await repeatedBy(records, event),
    payload: await payloadOf(records, event),
    notices,
  }))
}

/** Returns the bytes of the request's body as they came. Throws a Fault (exit 5) where the request was not kept. */
export const bodyOf = ({ payload }: EventDetail): Buffer => {
  if (typeof payload === 'string') throw new Fault('not_found', `the payload is ${payload}`, { exitCode: exit.notFound })
  return payload.body
}

/**
 * Returns the whole event as JSON for programs. Every member is present, with `null` where nothing is known. `tries` has the failed
 * attempts that another attempt follows. `attempts` has every attempt, also the last, and each retry by hand.
 */
export const describeDetail = ({ status: known, attempts, repeated, payload }: EventDetail): JsonObject => ({
  ...describeEvent(known),
  repeats: repeated?.event_id ?? null,
  tries: known.event.tries.map(({ at, attempt, error, next_at }) => ({ at, attempt, error, next_at })),
  attempts: [...attempts],
  ...describePayload(payload),
})
