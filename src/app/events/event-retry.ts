/** Starts dead runs again with their stored work. Their attempts are counted from 1 again. */

import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import { type DoneCounter, type EventResult, workOnEach } from './event-batch.ts'
import type { EventStatus } from './event-status.ts'
import { standingsOf } from './events.ts'
import { type RunOperations, withRuns } from './runs/with-runs.ts'

export type RetryPlan = {
  /** The events whose runs start again. */
  readonly dead: readonly EventStatus[]
  /** The events whose runs do not start again, and the reasons. */
  readonly others: readonly EventResult[]
  /** Starts the runs, until `signal` is aborted. */
  run(countDone: DoneCounter, signal?: AbortSignal): Promise<readonly EventResult[]>
}

/**
 * Plans the retry of the chosen events. Only dead runs start again. `isSelection`: the events were chosen by criteria, so events without a
 * dead run are left out. Where it is false, such events count as failed. Throws a Fault without a gateway (exit 4), unless the store is
 * shared.
 */
export const planRetry = async (
  workspace: Workspace,
  finder: GatewayFinder,
  events: readonly EventStatus[],
  isSelection: boolean,
): Promise<RetryPlan> => {
  const views = events.map(({ event }) => event)
  const standings = await withRuns(workspace, finder, (runs) => standingsOf(runs, views))
  const isDead = ({ event }: EventStatus): boolean => standings.get(event.event_id)?.state === 'dead'
  const others = isSelection
    ? []
    : events.filter((known) => !isDead(known)).map((known) => ({ known, ok: false, why: whyNotRetried(known) }))
  const dead = events.filter(isDead)
  const retry = async ({ event }: EventStatus, runs: RunOperations) =>
    (await runs.retry({ id: event.event_id })).retried ? { ok: true } : { ok: false, why: 'it is not dead any more' }
  const run = (countDone: DoneCounter, signal?: AbortSignal): Promise<readonly EventResult[]> =>
    withRuns(workspace, finder, (runs) => workOnEach(dead, (known) => retry(known, runs), countDone, signal))
  return { dead, others, run }
}

const whyNotRetried = ({ event, state }: EventStatus): string => {
  if (state === 'waiting' || state === 'running') return `it is not dead: ${state}`
  if (state === 'dead') return 'its stored work is not kept any more: events replay starts it anew'
  // A replay with a new delivery id would send the text again to those targets of a list that have it already.
  if (event.outcome === 'delivery_failed')
    return 'its sender got an error, and may repeat the event; events replay --same-id sends it to the targets that have not had it'
  return `no dead run is kept of it (${state}): events replay starts it anew`
}
