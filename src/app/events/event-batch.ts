/** Work on several events: which events, in which order, and how it went for each. */

import { exit, Fault } from '../../core/fault.ts'
import type { ReplayResult } from '../../generated/control.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import { type EventCriteria, selectionOf } from './event-selection.ts'
import type { EventStatus } from './event-status.ts'
import { type EventStatuses, findEvents, selectEvents } from './events.ts'

/** How many events are worked on where no limit is given. */
const defaultLimit = 1_000

/** `isCut`: older events would fit, too. */
export type Batch = EventStatuses & { readonly isCut: boolean }

/** The events of these ids or, where there are none, the newest that fit the criteria, oldest first, as they came. */
export const chooseEvents = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  ids: readonly string[],
  criteria: EventCriteria,
): Promise<Batch> =>
  ids.length > 0 ? { ...(await findEvents(workspace, gateway, ids)), isCut: false } : selectBatch(workspace, gateway, criteria)

const selectBatch = async (workspace: Workspace, gateway: GatewayFinder, criteria: EventCriteria): Promise<Batch> => {
  const { events, next, notices } = await selectEvents(workspace, gateway, selectionOf(criteria, defaultLimit))
  const isCut = next !== undefined && events.length >= (criteria.limit ?? defaultLimit)
  return { events: [...events].reverse(), isCut, notices }
}

/** How the work on one event went. */
export type Result = {
  readonly known: EventStatus
  readonly ok: boolean
  readonly why?: string
  /** What a replay came to. */
  readonly replayed?: Extract<ReplayResult, { readonly found: true }>
}

/** Is told after each event how many are done. */
export type Counting = (done: number) => void

/** Works on one event after the other. An event that fails does not stop the rest; a gateway that is gone does. */
export const each = async (
  events: readonly EventStatus[],
  work: (known: EventStatus) => Promise<Omit<Result, 'known'>>,
  counting: Counting,
): Promise<readonly Result[]> => {
  const results: Result[] = []
  let gone: Fault | undefined
  for (const known of events) {
    try {
      results.push(gone ? { known, ok: false, why: 'not tried' } : { known, ...(await work(known)) })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      if (error.exitCode === exit.unreachable) gone = error
      results.push({ known, ok: false, why: error.message })
    }
    counting(results.length)
  }
  return results
}
