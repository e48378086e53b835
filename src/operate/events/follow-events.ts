/** Follows events: gives the newest events, then each event as it comes, and the same event again at each step of its run. */

import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { DeliveryLine, OutcomeLine, TailLine } from '../../generated/control.ts'
import type { EventView } from '../../journal/record.ts'
import { readEventPage } from './event-page.ts'
import { type EventCriteria, type Selection, selectionOf } from './event-selection.ts'
import type { EventStatus } from './event-status.ts'
import { watch } from './watch.ts'

/**
 * The largest number of events that are remembered from their arrival on. When a step of a run comes, the remembered event is yielded again
 * with the new state.
 */
const maxKnown = 1_000

export type FollowedEvents = {
  /** The newest events that arrived before the following began, in the order of their arrival: the newest is the last. */
  readonly newest: readonly EventStatus[]
  /** Limits of `newest` for the user: that states come from the journal, or that older events were not read. Mostly empty. */
  readonly notices: readonly string[]
  /**
   * Each event that arrives later, and each event whose run has taken a step. The sequence ends or throws as the lines of `watch` do: it
   * ends when the gateway stops.
   */
  readonly coming: AsyncGenerator<EventStatus, void>
  close(): void
}

/**
 * Begins to follow the events that fit the criteria. The caller refuses a search (`text`, `field`), which would not count for `coming`.
 * `limit`: the most events in `newest` where the criteria give no limit. Throws a Fault as `watch` and `readEventPage` do: without a
 * gateway (exit 4) unless the store is shared, and for a route or job that does not exist.
 */
export const followEvents = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  criteria: EventCriteria,
  limit: number,
): Promise<FollowedEvents> => {
  const watching = await watch(workspace, gateway, {})
  try {
    const { events, notices } = await readEventPage(workspace, gateway, criteria, limit)
    const newest = events.toReversed()
    return { newest, notices, coming: withoutShown(newest, eventsIn(watching.lines, selectionOf(criteria, limit))), close: watching.close }
  } catch (error) {
    watching.close()
    throw error
  }
}

const stepOf = ({ event, state, attempt }: EventStatus): string => `${event.event_id} ${state} ${attempt}`

/** Leaves out what `newest` shows already. The watching began before `newest` was read, so an event may be in both. */
async function* withoutShown(newest: readonly EventStatus[], coming: AsyncIterable<EventStatus>): AsyncGenerator<EventStatus, void> {
  const shown = new Set(newest.map(stepOf))
  for await (const known of coming) if (!shown.delete(stepOf(known))) yield known
}

/**
 * Yields the events of the lines in the form that the journal gives them. Events without a record, and events that do not fit the
 * selection, are skipped.
 */
async function* eventsIn(lines: AsyncIterable<TailLine>, selection: Selection): AsyncGenerator<EventStatus, void> {
  const arrived = new Map<string, EventView>()
  for await (const line of lines) {
    const known = eventStatusOf(line, arrived)
    if (known && selection.fits(known.event) && selection.fitsState(known.state)) yield known
  }
}

const eventStatusOf = (line: TailLine, arrived: Map<string, EventView>): EventStatus | undefined => {
  if (line.type === 'outcome' && line.event_id !== null) {
    const event = viewOfOutcome(line, line.event_id)
    arrived.set(event.event_id, event)
    for (const id of arrived.keys()) if (arrived.size > maxKnown) arrived.delete(id)
    return { event, state: event.state, attempt: 0 }
  }
  if (line.type !== 'delivery' || line.event_id === null) return undefined
  const { state, attempt, error, next_at, target, job, at, silent } = line
  const before = arrived.get(line.event_id) ?? { ...originOf(line, line.event_id), outcome: 'accepted' }
  const ended = state === 'waiting' ? {} : { ended_at: at }
  const event: EventView = {
    ...before,
    ...withoutNulls({ target, job }),
    state,
    attempt,
    ...ended,
    ...(silent ? { silent } : {}),
    tries: [],
  }
  return { event, state, attempt, ...(error === null ? {} : { error }), ...(next_at === null ? {} : { nextAt: next_at }) }
}

const originOf = ({ at, profile, route, event_type, delivery_id }: OutcomeLine | DeliveryLine, event_id: string) => ({
  at,
  event_id,
  profile: profile ?? '',
  route: route ?? '',
  ...withoutNulls({ event_type, delivery_id }),
})

const viewOfOutcome = (line: OutcomeLine, event_id: string): EventView => {
  const { outcome, status, stage, duration_ms, reason, target } = line
  const state = outcome === 'accepted' || outcome === 'coalesced' ? 'waiting' : 'final'
  return { ...originOf(line, event_id), outcome, ...withoutNulls({ stage, reason, target, status, duration_ms }), state, tries: [] }
}

/** Returns the members that are not `null`. */
const withoutNulls = <T extends { readonly [name: string]: string | number | null }>(
  members: T,
): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as { [Name in keyof T]?: NonNullable<T[Name]> }
