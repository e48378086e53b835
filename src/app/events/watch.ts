/** The traffic of a running gateway as it happens, after the traffic of before. */

import type { TailLine } from '../../generated/control.ts'
import { journalFolder } from '../../journal/folder.ts'
import { readEvents } from '../../journal/reader.ts'
import type { EventView } from '../../journal/record.ts'
import type { TailLines } from '../live/tails.ts'
import { type TrafficFilter, trafficOfView, wants } from '../live/traffic.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import { checkOutcomes, checkSources } from './selection-words.ts'

/** `since`: events that arrived from then on come first; milliseconds since 1970. */
export type WatchOptions = TrafficFilter & { readonly since?: number }

export type Watching = {
  /** They end when the gateway stops. Throws a Fault (exit 4) when it is gone. */
  readonly lines: AsyncGenerator<TailLine, void>
  /** Leaves: also while a line is waited for. */
  close(): void
}

/** How many events of before are read at most. */
const maxPast = 10_000

/** Throws a Fault for an outcome or a route that there is not, without a gateway (exit 4), and when as many watch as may. */
export const watch = async (workspace: Workspace, finder: GatewayFinder, { since, ...filter }: WatchOptions): Promise<Watching> => {
  const { route, outcome } = filter
  checkOutcomes(outcome)
  const ofRoute = route === undefined ? {} : { route }
  await checkSources(workspace, ofRoute)
  const live = await (await finder.need()).tail({ ...ofRoute, ...(outcome === undefined ? {} : { outcome: outcome.join(',') }) })
  const past = since === undefined ? [] : await pastEvents(workspace, filter, since)
  return { lines: joined(past, live), close: () => void live.return?.() }
}

/** Oldest first. */
const pastEvents = async ({ dataDir }: Workspace, filter: TrafficFilter, since: number): Promise<readonly EventView[]> => {
  const fits = (view: EventView): boolean => wants(filter, trafficOfView(view))
  return (await readEvents(journalFolder(dataDir), { fits, since, limit: maxPast })).events.toReversed()
}

/** Watching began before the past was read: an event that is in both is told once. */
async function* joined(past: readonly EventView[], live: TailLines): AsyncGenerator<TailLine, void> {
  const first = await live.next()
  if (first.done) return
  yield first.value
  const told = new Map(past.map((view) => [view.event_id, view.state]))
  for (const view of past) yield* trafficOfView(view)
  for await (const line of live) {
    const state = 'event_id' in line && line.event_id !== null ? told.get(line.event_id) : undefined
    const isTold = 'type' in line && line.type === 'delivery' ? state === 'done' || state === 'dead' : state !== undefined
    if (!isTold) yield line
  }
}
