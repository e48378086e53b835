/** Reads events from the journal, and asks a running gateway or a shared store for the state of events that have not ended. */

import { exit, Fault } from '../../core/fault.ts'
import { type OpenRecords, type StandingsSource, withRecords } from '../../datadir/records/open-records.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { controlOperations, type RunStanding } from '../../generated/control.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { EventSummary, EventView } from '../../journal/record.ts'
import type { EventSearch } from './event-search.ts'
import type { Selection } from './event-selection.ts'
import { type EventStatus, outcomeOf } from './event-status.ts'

/** How many events are examined, unless the limit is higher, where the journal's lines alone do not decide whether an event fits. */
const maxExamined = 10_000

/** Events with their states. `notices`: why a gateway or store that was asked gave no answer; the states are then those of the journal. */
export type EventStatuses = { readonly events: readonly EventStatus[]; readonly notices: readonly string[] }

/**
 * A page of events. `next`: the id after which the next page begins; `undefined` on the last page. `skipped`: the number of damaged lines
 * in the journal. `notices` also says when the page is short because only the newest events were read.
 */
export type SelectedEvents = EventStatuses & { readonly next: string | undefined; readonly skipped: number }

/** Returns the selected events, newest first. Throws a Fault (exit 5) when the event of the cursor is not in the journal any more. */
export const selectEvents = (workspace: Workspace, gateway: GatewayFinder, selection: Selection): Promise<SelectedEvents> =>
  withRecords(workspace, (records) => select(records, gateway, selection))

const select = async (records: OpenRecords, gateway: GatewayFinder, selection: Selection): Promise<SelectedEvents> => {
  const { isLive, search, limit } = selection
  if (!isLive && search === undefined) return (await selectAmong(records, gateway, selection, limit)).page
  // Mostly a page is full after a few events, so more of them are examined only when that was too few.
  const most = Math.max(limit, maxExamined)
  const found = search && { search: onceForEach(search) }
  for (let examined = limit + 1; ; examined *= 8) {
    const { page, isFull } = await selectAmong(records, gateway, { ...selection, ...found }, Math.min(examined, most))
    if (isFull || examined >= most) return page
  }
}

/** Selects among the newest `examined` events that fit by their records. `isFull`: more events cannot change the page. */
const selectAmong = async (
  records: OpenRecords,
  gateway: GatewayFinder,
  { fits, fitsState, isLive, search, since, limit, cursor }: Selection,
  examined: number,
): Promise<{ readonly page: SelectedEvents; readonly isFull: boolean }> => {
  const looksCloser = isLive || search !== undefined
  const reading = await records.events({
    fits,
    limit: examined,
    ...(since === undefined ? {} : { since }),
    ...(cursor === undefined ? {} : { after: cursor }),
  })
  if (!reading.met)
    throw new Fault('not_found', `the event "${cursor}" is not in the journal any more`, {
      exitCode: exit.notFound,
      hint: 'begin again without --cursor',
    })
  const candidates = search ? await searched(records, reading.events, search, isLive ? maxExamined : limit + 1) : reading.events
  const { events, notices } = await withStandings(records, gateway, candidates)
  const fitting = events.filter(({ state }) => fitsState(state))
  const page = fitting.slice(0, limit)
  // The next page begins after `last` in the order in which the journal has the events. By the order of their times, the next page would
  // miss an event that arrived earlier and was written later.
  const last = fitting.length > limit ? page.at(-1)?.event : reading.truncated ? reading.events.at(-1) : undefined
  const newestFirst = page.sort((a, b) => (a.event.at < b.event.at ? 1 : a.event.at > b.event.at ? -1 : 0))
  const isShort = looksCloser && last !== undefined && page.length < limit
  const notice = isShort ? [`only the newest ${reading.events.length} events were looked at, back to ${last.at}`] : []
  return {
    page: { events: newestFirst, next: last?.event_id, skipped: reading.skipped, notices: [...notices, ...notice] },
    isFull: fitting.length > limit || !reading.truncated,
  }
}

/** Remembers the result of a search for each event. */
const onceForEach = (search: EventSearch): EventSearch => {
  const found = new Map<string, boolean>()
  return async (records, view) => {
    const result = found.get(view.event_id) ?? (await search(records, view))
    found.set(view.event_id, result)
    return result
  }
}

/**
 * Returns the first events that the search finds, at most `most`. Events are read one after the other, because a thousand bodies need not
 * be in memory at once.
 */
const searched = async (records: EventRecords, events: readonly EventView[], search: EventSearch, most: number): Promise<EventView[]> => {
  const matching: EventView[] = []
  for (const view of events) {
    if (matching.length === most) break
    if (await search(records, view)) matching.push(view)
  }
  return matching
}

/**
 * Returns the events with these ids; an id may also be the beginning of an event's id, or a delivery id. Throws a Fault (exit 5) for the
 * first id that names no event of the journal, or several.
 */
export const findEvents = (workspace: Workspace, gateway: GatewayFinder, ids: readonly string[]): Promise<EventStatuses> =>
  withRecords(workspace, async (records) => {
    const events = new Map<string, EventView>()
    for (const id of new Set(ids)) {
      const event = await findEvent(records, workspace, id)
      events.set(event.event_id, event)
    }
    return withStandings(records, gateway, [...events.values()])
  })

/** The outcomes after which an event of any scheme keeps the claim on its delivery id. */
const claimingOutcomes: ReadonlySet<string> = new Set(['accepted', 'coalesced', 'delivered', 'closing'])

/**
 * Returns the event that a duplicate repeats; `undefined` for an event that is no duplicate, and where the journal has lost the repeated
 * event.
 */
export const repeatedBy = async (records: EventRecords, event: EventView): Promise<EventView | undefined> => {
  if (event.outcome !== 'duplicate' || event.delivery_id === undefined) return undefined
  const fits = ({ outcome, at, ...other }: EventSummary): boolean =>
    claimingOutcomes.has(outcome) &&
    at <= event.at &&
    (['delivery_id', 'route', 'profile'] as const).every((name) => other[name] === event[name])
  const { events } = await records.events({ fits, limit: 1 })
  return events[0]
}

const findEvent = async (records: EventRecords, { self }: Workspace, id: string): Promise<EventView> => {
  const lookup = await records.event(id)
  if (lookup.kind === 'found') return lookup.event
  if (lookup.kind === 'ambiguous' && lookup.by === 'id')
    throw new Fault('ambiguous', `several ids begin with "${id}"`, { exitCode: exit.notFound, suggest: lookup.ids })
  if (lookup.kind === 'ambiguous') {
    const lines = await Promise.all(lookup.ids.map((each) => eventLine(records, each)))
    const hint = ['name one by its event id:', ...lines].join('\n')
    throw new Fault('ambiguous', `several events have the delivery id "${id}"`, { exitCode: exit.notFound, hint })
  }
  const hint = `a delivery id, or at least six characters of an id of: ${self} events list`
  throw new Fault('not_found', `no event "${id}" in the journal`, { exitCode: exit.notFound, hint })
}

/** Returns one event on a line, for people. */
const eventLine = async (records: EventRecords, id: string): Promise<string> => {
  const found = await records.event(id)
  return found.kind === 'found' ? `${id}  ${found.event.at}  ${found.event.route}  ${outcomeOf(found.event)}` : id
}

type Standings = ReadonlyMap<string, RunStanding>

/**
 * Asks for the standings of the events' runs, in as many questions as needed. Returns them by the ids of the events; an event whose run the
 * store does not have is left out.
 */
export const standingsOf = async (runs: StandingsSource, events: readonly EventView[]): Promise<Standings> => {
  const { maxItems } = controlOperations.standings.question.members.ids
  const ids = events.map(({ event_id }) => event_id)
  const all: RunStanding[] = []
  for (let from = 0; from < ids.length; from += maxItems)
    all.push(...(await runs.standings({ ids: ids.slice(from, from + maxItems) })).standings)
  return new Map(all.map((standing) => [standing.eventId, standing]))
}

/**
 * Returns the events with their states. Asks the running gateway, or else a shared store, for the states of events that have not ended.
 * Where neither is there or gives an answer, the states of the journal hold.
 */
const withStandings = async (records: OpenRecords, finder: GatewayFinder, events: readonly EventView[]): Promise<EventStatuses> => {
  const notices: string[] = []
  const waiting = events.filter(({ state }) => state === 'waiting')
  const runs = waiting.length > 0 ? ((await orNotice(finder.find(), notices)) ?? records.runs) : undefined
  const standings = runs && (await orNotice(standingsOf(runs, waiting), notices))
  if (!standings) return { events: events.map((event) => statusOf(event, undefined)), notices }
  const missing = waiting.filter(({ event_id }) => !standings.has(event_id))
  const second = missing.length > 0 ? await orNotice(lookAgain(records, runs, missing), notices) : undefined
  return { events: events.map((event) => second?.get(event.event_id) ?? statusOf(event, standings.get(event.event_id))), notices }
}

/**
 * Resolves to the answer; where the question ends with a Fault, adds a notice and resolves to `undefined`. A gateway that gives no answer,
 * because its store is broken or it hangs, must not keep the user from reading the journal.
 */
const orNotice = async <T>(asked: Promise<T>, notices: string[]): Promise<T | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    notices.push(`as the journal says: ${error.message}`)
    return undefined
  }
}

/**
 * Reads again those events whose run the store does not have, and returns their states by their ids. There are three cases. The run ended
 * after the journal was read: the journal has its end by now, because the line of the end is written before the store forgets the run.
 * Another event of the same group has the run. Or the line of the end was lost: then the state is `unknown`.
 */
const lookAgain = async (
  records: EventRecords,
  runs: StandingsSource,
  missing: readonly EventView[],
): Promise<ReadonlyMap<string, EventStatus>> => {
  const ids = new Set(missing.map(({ event_id }) => event_id))
  const groups = new Set(missing.flatMap(({ group }) => group ?? []))
  const fits = ({ event_id, group }: EventSummary): boolean => ids.has(event_id) || (group !== undefined && groups.has(group))
  const { events } = await records.events({ fits, limit: maxExamined })
  const siblings = events.filter(({ group, state }) => group !== undefined && state === 'waiting')
  const standings = siblings.length > 0 ? await standingsOf(runs, siblings) : undefined
  const running = new Set(siblings.flatMap(({ event_id, group }) => (standings?.has(event_id) ? (group ?? []) : [])))
  const latest = new Map(events.map((event) => [event.event_id, event]))
  return new Map(
    missing.map((before) => {
      const event = latest.get(before.event_id) ?? before
      const known = statusOf(event, standings?.get(event.event_id))
      if (known.state !== 'waiting' || standings?.has(event.event_id)) return [event.event_id, known]
      return [event.event_id, { ...known, state: event.group !== undefined && running.has(event.group) ? 'merged' : 'unknown' }]
    }),
  )
}

/** Returns the status of an event, by the standing of its run or, without a standing, as the journal has it. */
const statusOf = (event: EventView, standing: RunStanding | undefined): EventStatus => {
  const error = standing ? standing.error : event.error
  const nextAt = standing ? isoOf(standing.dueAt) : nextTry(event)
  return {
    event,
    state: standing?.state ?? event.state,
    attempt: standing?.attempt ?? event.attempt ?? 0,
    ...(error === undefined ? {} : { error }),
    ...(nextAt === undefined ? {} : { nextAt }),
  }
}

const isoOf = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString())

const nextTry = ({ state, attempt, tries }: EventView): string | undefined =>
  state === 'waiting' && attempt !== undefined ? tries.at(-1)?.next_at : undefined
