/**
 * Starts dead runs again with their stored work; their attempts are counted from 1 again. Sends direct deliveries again that failed at
 * once: they left no run, so their stored request is replayed under its delivery id.
 */

import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { type DoneCounter, type EventResult, workOnEach } from './event-batch.ts'
import { planReplay } from './event-replay.ts'
import type { EventStatus } from './event-status.ts'
import { standingsOf } from './events.ts'
import { type RunOperations, withRuns } from './runs/with-runs.ts'

export type RetryPlan = {
  /** The events whose runs start again, and then those whose direct delivery is made again. */
  readonly events: readonly EventStatus[]
  /** The events that are not retried, and the reasons. */
  readonly others: readonly EventResult[]
  /** Retries the events, until `signal` is aborted. */
  run(countDone: DoneCounter, signal?: AbortSignal): Promise<readonly EventResult[]>
}

/**
 * Plans the retry of the chosen events. `isSelection`: the events were chosen by criteria, so events without a dead run are left out. Where
 * it is false, failed direct deliveries are retried too, and any other event without a dead run counts as failed. Throws a Fault without a
 * gateway (exit 4), unless the store is shared and no direct delivery is retried.
 */
export const planRetry = async (
  workspace: Workspace,
  finder: GatewayFinder,
  events: readonly EventStatus[],
  isSelection: boolean,
): Promise<RetryPlan> => {
  const views = events.map(({ event }) => event)
  const standings = await withRuns(workspace, finder, (runs) => standingsOf(runs, views))
  const dead = events.filter(({ event }) => standings.get(event.event_id)?.state === 'dead')
  const failed = isSelection ? [] : events.filter(isFailedDelivery)
  const retried = new Set([...dead, ...failed])
  const others = isSelection
    ? []
    : events.filter((known) => !retried.has(known)).map((known) => ({ known, ok: false, why: whyNotRetried(known) }))
  const retry = async ({ event }: EventStatus, runs: RunOperations) =>
    (await runs.retry({ id: event.event_id })).retried ? { ok: true } : { ok: false, why: 'it is not dead any more' }
  const again = failed.length > 0 ? await planReplay(finder, failed, false) : undefined
  const run = async (countDone: DoneCounter, signal?: AbortSignal): Promise<readonly EventResult[]> => {
    const started = await withRuns(workspace, finder, (runs) => workOnEach(dead, (known) => retry(known, runs), countDone, signal))
    // With its own delivery id, a text goes neither to those targets of a list that have it, nor a second time where the sender has
    // repeated the event meanwhile.
    const sent = await again?.run({ same_id: true }, (done) => countDone(dead.length + done), signal)
    return [...started, ...(sent ?? []).map(asRetried)]
  }
  return { events: [...retried], others, run }
}

/** Whether the event is a direct delivery that failed at once, and whose request is there to be repeated. */
const isFailedDelivery = ({ event }: EventStatus): boolean => event.outcome === failedDelivery && event.raw !== undefined

const failedDelivery = 'delivery_failed'

/** Turns the result of a replay into that of a retry. */
const asRetried = (result: EventResult): EventResult => {
  const { known, ok, replayed } = result
  if (!replayed) return result
  if (replayed.outcome === 'duplicate') return { known, ok: false, why: 'it has been delivered since: its delivery id is taken' }
  const isTaken = ok && (replayed.outcome === 'delivered' || replayed.outcome === 'accepted')
  return isTaken ? { known, ok } : { known, ok: false, why: `${replayed.outcome}: ${replayed.reason ?? `HTTP ${replayed.status}`}` }
}

const whyNotRetried = ({ event, state }: EventStatus): string => {
  if (state === 'waiting' || state === 'running') return `it is not dead: ${state}`
  if (state === 'dead') return 'its stored work is not kept any more: events replay starts it anew'
  if (event.outcome === failedDelivery) return 'its request was not kept, so there is nothing to send again'
  return `no dead run is kept of it (${state}): events replay starts it anew`
}
