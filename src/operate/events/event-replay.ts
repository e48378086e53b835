/** Replays several events: the running gateway takes their stored requests through its present configuration. */

import { isUtf8 } from 'node:buffer'
import { exit, Fault } from '../../core/fault.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { ControlQuestions } from '../../generated/control.ts'
import { type DoneCounter, type EventResult, workOnEach } from './event-batch.ts'
import { payloadOf } from './event-payload.ts'
import type { EventStatus } from './event-status.ts'

/** The options of a replay that are the same for all events. */
type ReplayOptions = Omit<ControlQuestions['replay'], 'id' | 'ahead'>

/** The number of events that the gateway looks up together. */
const lookedUpTogether = 500

export type ReplayPlan = {
  readonly events: readonly EventStatus[]
  /** The number of selected events that are not in `events`, because their request was not kept. */
  readonly leftOut: number
  /** Replays the events, until `signal` is aborted. An event that its route refuses now counts as failed. */
  run(options: ReplayOptions, countDone: DoneCounter, signal?: AbortSignal): Promise<readonly EventResult[]>
}

/**
 * Plans the replay of the chosen events. `isSelection`: the events were chosen by criteria, so events whose request was not kept are left
 * out. Where it is false, such events stay, and their replay fails. Throws a Fault without a gateway (exit 4), even when no event is left.
 */
export const planReplay = async (finder: GatewayFinder, chosen: readonly EventStatus[], isSelection: boolean): Promise<ReplayPlan> => {
  const events = isSelection ? chosen.filter(isReplayable(chosen)) : chosen
  const gateway = await finder.need()
  const ids = events.map(({ event }) => event.event_id)
  const replay = async ({ event }: EventStatus, place: number, options: ReplayOptions) => {
    const ahead = place % lookedUpTogether === 0 ? ids.slice(place + 1, place + lookedUpTogether) : []
    const replayed = await gateway.replay({ ...options, id: event.event_id, ...(ahead.length > 0 ? { ahead } : {}) })
    return replayed.found ? { ok: replayed.status < 400, replayed } : { ok: false, why: replayed.why }
  }
  return {
    events,
    leftOut: chosen.length - events.length,
    run(options, countDone, signal) {
      let place = 0
      return workOnEach(events, (known) => replay(known, place++, options), countDone, signal)
    },
  }
}

/**
 * Makes the test whether a selected event is replayed: its request was kept. An item of a request that is among the selected events is
 * replayed with its request.
 */
const isReplayable = (chosen: readonly EventStatus[]): ((each: EventStatus) => boolean) => {
  const ids = new Set(chosen.map(({ event }) => event.event_id))
  return ({ event: { raw, batch_of: of } }) => raw !== undefined || (of !== undefined && !ids.has(of))
}

/** Returns the body of an event as a text that can be edited. Throws a Fault where the body was not kept, or is not UTF-8. */
export const editableBody = async (workspace: Workspace, { event }: EventStatus): Promise<string> => {
  const payload = await withRecords(workspace, (records) => payloadOf(records, event))
  if (typeof payload === 'string') throw new Fault('not_kept', `its payload is ${payload}`, { exitCode: exit.no })
  if (!isUtf8(payload.body)) throw new Fault('bad_payload', 'its payload is no text: it cannot be edited', { exitCode: exit.no })
  return payload.body.toString('utf8')
}
