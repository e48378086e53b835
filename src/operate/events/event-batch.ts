/** Works on several events, for commands and the console: chooses the events and their order, and collects a result for each event. */

import { exit, Fault } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { ReplayResult } from '../../generated/control.ts'
import { type EventCriteria, selectionOf } from './event-selection.ts'
import { type EventStatus, eventSource } from './event-status.ts'
import { type EventStatuses, findEvents, selectEvents } from './events.ts'

const defaultLimit = 1_000

/** The chosen events. `isCut`: the limit was reached, and there may be older events that fit the criteria. */
export type EventBatch = EventStatuses & { readonly isCut: boolean }

/**
 * Returns the events of the ids, in the order of the ids. Where no ids are given, returns the newest events that fit the criteria, and the
 * oldest of them comes first. Throws a Fault (exit 5) as `findEvents` and `selectEvents` do.
 */
export const chooseEvents = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  ids: readonly string[],
  criteria: EventCriteria,
): Promise<EventBatch> =>
  ids.length > 0 ? { ...(await findEvents(workspace, gateway, ids)), isCut: false } : selectBatch(workspace, gateway, criteria)

const selectBatch = async (workspace: Workspace, gateway: GatewayFinder, criteria: EventCriteria): Promise<EventBatch> => {
  const { events, next, notices } = await selectEvents(workspace, gateway, selectionOf(criteria, defaultLimit))
  const isCut = next !== undefined && events.length >= (criteria.limit ?? defaultLimit)
  return { events: [...events].reverse(), isCut, notices }
}

/** A source of events (a route or a job), and how many of the events are from it. */
export type SourceCount = { readonly source: string; readonly count: number }

/** Counts the events of each source. The sources stand in the order of their first events. */
export const countBySource = (events: readonly Pick<EventStatus, 'event'>[]): readonly SourceCount[] => {
  const counts = new Map<string, number>()
  for (const { event } of events) counts.set(eventSource(event), (counts.get(eventSource(event)) ?? 0) + 1)
  return [...counts].map(([source, count]) => ({ source, count }))
}

/** The result of the work on one event. `known`: the event as it was before. `why`: the reason of a failure, unless `replayed` has it. */
export type EventResult = {
  readonly known: EventStatus
  readonly ok: boolean
  readonly why?: string
  /** The result of a replay; absent for other work. */
  readonly replayed?: Extract<ReplayResult, { readonly found: true }>
}

/** Called after each event with the number of events that have been worked on. */
export type DoneCounter = (done: number) => void

/** The reason of an event that was not tried because the gateway was gone. */
export const notTried = 'not tried'

/**
 * Works on one event after the other, until `signal` is aborted. After an event whose work fails with a Fault, the work goes on; but after
 * a Fault with exit 4 (the gateway is gone), the remaining events are not tried. An error that is no Fault is thrown at once.
 */
export const workOnEach = async (
  events: readonly EventStatus[],
  work: (known: EventStatus) => Promise<Omit<EventResult, 'known'>>,
  countDone: DoneCounter,
  signal?: AbortSignal,
): Promise<readonly EventResult[]> => {
  const results: EventResult[] = []
  let gone: Fault | undefined
  for (const known of events) {
    if (signal?.aborted) break
    try {
      results.push(gone ? { known, ok: false, why: notTried } : { known, ...(await work(known)) })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      if (error.exitCode === exit.unreachable) gone = error
      results.push({ known, ok: false, why: error.message })
    }
    countDone(results.length)
  }
  return results
}
