/** Gives the lines of past traffic, then those of the present traffic as it comes. */

import { withRecords } from '../../datadir/records/open-records.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { DeliveryLine, TailLine } from '../../generated/control.ts'
import type { EventSummary, EventView } from '../../journal/record.ts'
import type { TailLines } from '../../serve/tails.ts'
import { type TrafficFilter, trafficOfView, wants } from '../../serve/traffic.ts'
import { checkOutcomes, checkSources } from './selection-words.ts'
import { tailStore } from './store-tail.ts'

/**
 * The traffic to watch. `since`: a time in milliseconds since 1970; events that arrived from then on come first. `perSecond`: the most
 * requests and attempts a second whose lines come; lines beyond this number are only counted as lost.
 */
export type WatchOptions = TrafficFilter & { readonly since?: number; readonly perSecond?: number }

export type WatchedTraffic = {
  /**
   * The lines of the traffic. Those of a gateway end when the gateway stops, and reading one throws a Fault (exit 4) when the gateway is
   * gone. Those from the records of a shared store do not end before `close`.
   */
  readonly lines: AsyncGenerator<TailLine, void>
  close(): void
}

const maxPast = 10_000

/**
 * Begins to watch. Throws a Fault for an outcome or a route that does not exist, without a gateway (exit 4) unless the store is shared, and
 * when as many users watch already as the gateway allows.
 */
export const watch = async (workspace: Workspace, finder: GatewayFinder, options: WatchOptions): Promise<WatchedTraffic> => {
  const { since, perSecond, ...filter } = options
  const { route, outcome } = filter
  checkOutcomes(outcome)
  const ofRoute = route === undefined ? {} : { route }
  await checkSources(workspace, ofRoute)
  const live = await tailOf(workspace, finder, filter, perSecond)
  const past = since === undefined ? [] : await pastEvents(workspace, filter, since)
  return { lines: joined(past, live), close: () => void live.return?.() }
}

/**
 * Opens the present traffic of the running gateway; where no gateway runs, that of all gateways on the shared store, from their records.
 */
const tailOf = async (workspace: Workspace, finder: GatewayFinder, filter: TrafficFilter, perSecond?: number): Promise<TailLines> => {
  const { route, outcome } = filter
  const gateway = await finder.find()
  const stored = gateway ? undefined : await tailStore(workspace, filter, perSecond)
  if (stored) return stored
  return (gateway ?? (await finder.need())).tail({
    ...(route === undefined ? {} : { route }),
    ...(outcome === undefined ? {} : { outcome: outcome.join(',') }),
    ...(perSecond === undefined ? {} : { per_second: perSecond }),
  })
}

const pastEvents = async (workspace: Workspace, filter: TrafficFilter, since: number): Promise<readonly EventView[]> => {
  const fits = ({ raw: _, unverified: __, ...event }: EventSummary): boolean => wants(filter, () => trafficOfView({ ...event, tries: [] }))
  return (await withRecords(workspace, (records) => records.events({ fits, since, limit: maxPast }))).events.toReversed()
}

/**
 * Yields the first line, which says that the watching has begun, then the past traffic, then the present traffic. The watching began before
 * the past was read, so the present traffic may repeat lines of the past. Left out are the lines of a request that the past has, and the
 * lines of attempts at a run up to its end, where the past has that end.
 */
async function* joined(past: readonly EventView[], live: TailLines): AsyncGenerator<TailLine, void> {
  const first = await live.next()
  if (first.done) return
  yield first.value
  const begunAt = first.value.type === 'init' ? first.value.at : ''
  const requests = new Set(past.map(({ event_id }) => event_id))
  /** The events whose run ended after the watching began, so that the end is in the past and in the present traffic. */
  const ends = new Set(past.flatMap(({ event_id, ended_at = '' }) => (ended_at >= begunAt ? [event_id] : [])))
  for (const view of past) yield* trafficOfView(view)
  for await (const line of live) {
    const id = 'event_id' in line ? line.event_id : null
    const isInPast = id !== null && (line.type === 'delivery' ? ends.has(id) : requests.has(id))
    // Once its end has come, an event has further attempts only after a retry.
    if (id !== null && line.type === 'delivery' && isEnd(line)) ends.delete(id)
    if (!isInPast) yield line
  }
}

const isEnd = ({ state }: DeliveryLine): boolean => state !== 'waiting'
