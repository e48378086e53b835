/** Gives the lines of past traffic, then those of the present traffic as it comes. */

import type { TailLine } from '../../generated/control.ts'
import type { EventSummary, EventView } from '../../journal/record.ts'
import type { TailLines } from '../live/tails.ts'
import { type TrafficFilter, trafficOfView, wants } from '../live/traffic.ts'
import { withRecords } from '../open-records.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import { tailStore } from '../shared-store/store-tail.ts'
import type { Workspace } from '../workspace.ts'
import { checkOutcomes, checkSources } from './selection-words.ts'

/** The traffic to watch. `since`: a time in milliseconds since 1970; events that arrived from then on come first. */
export type WatchOptions = TrafficFilter & { readonly since?: number }

export type WatchedTraffic = {
  /** The lines of the traffic, which end when the gateway stops. Reading a line throws a Fault (exit 4) when the gateway is gone. */
  readonly lines: AsyncGenerator<TailLine, void>
  /** Ends the watching, even while a line is awaited. */
  close(): void
}

/** The largest number of past events that are read. */
const maxPast = 10_000

/**
 * Begins to watch. Throws a Fault for an outcome or a route that does not exist, without a gateway (exit 4) unless the store is shared, and
 * when as many users watch already as the gateway allows.
 */
export const watch = async (workspace: Workspace, finder: GatewayFinder, { since, ...filter }: WatchOptions): Promise<WatchedTraffic> => {
  const { route, outcome } = filter
  checkOutcomes(outcome)
  const ofRoute = route === undefined ? {} : { route }
  await checkSources(workspace, ofRoute)
  const live = await tailOf(workspace, finder, filter)
  const past = since === undefined ? [] : await pastEvents(workspace, filter, since)
  return { lines: joined(past, live), close: () => void live.return?.() }
}

/**
 * Opens the present traffic of the running gateway; where no gateway runs, that of all gateways on the shared store, from their records.
 */
const tailOf = async (workspace: Workspace, finder: GatewayFinder, { route, outcome }: TrafficFilter): Promise<TailLines> => {
  const ofRoute = route === undefined ? {} : { route }
  const gateway = await finder.find()
  const stored = gateway ? undefined : await tailStore(workspace, { ...ofRoute, ...(outcome === undefined ? {} : { outcome }) })
  if (stored) return stored
  return (gateway ?? (await finder.need())).tail({ ...ofRoute, ...(outcome === undefined ? {} : { outcome: outcome.join(',') }) })
}

/** Reads the past events, oldest first. */
const pastEvents = async (workspace: Workspace, filter: TrafficFilter, since: number): Promise<readonly EventView[]> => {
  const fits = ({ raw: _, unverified: __, ...event }: EventSummary): boolean => wants(filter, trafficOfView({ ...event, tries: [] }))
  return (await withRecords(workspace, (records) => records.events({ fits, since, limit: maxPast }))).events.toReversed()
}

/**
 * Yields the first line, which says that the watching has begun, then the past traffic, then the present traffic. The watching began before
 * the past was read, so a line of the present traffic is left out where the past has it already.
 */
async function* joined(past: readonly EventView[], live: TailLines): AsyncGenerator<TailLine, void> {
  const first = await live.next()
  if (first.done) return
  yield first.value
  const pastStates = new Map(past.map((view) => [view.event_id, view.state]))
  for (const view of past) yield* trafficOfView(view)
  for await (const line of live) {
    const state = 'event_id' in line && line.event_id !== null ? pastStates.get(line.event_id) : undefined
    const isInPast = 'type' in line && line.type === 'delivery' ? state === 'done' || state === 'dead' : state !== undefined
    if (!isInPast) yield line
  }
}
