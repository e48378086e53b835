/** Reads events: what the journal says, and of those that have not ended, what a running gateway says. */

import type { Selection } from '../../app/event-selection.ts'
import type { KnownEvent } from '../../app/known-event.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json } from '../../core/json.ts'
import { askGateway, tryGateway } from '../../http/control/ask.ts'
import { journalFolder } from '../../journal/folder.ts'
import { readEvent, readEvents } from '../../journal/reader.ts'
import type { EventView } from '../../journal/record.ts'
import type { Standing } from '../../store/ports.ts'
import { type Cli, note } from '../shell/output.ts'

/** Whether an event that waits fits is known only when the gateway was asked: so many are read before, at most. */
const maxLooked = 10_000

/** `next`: where the next page goes on, when there are more than the limit. `skipped`: damaged lines of the journal. */
export type Selected = { readonly seen: readonly KnownEvent[]; readonly next: string | undefined; readonly skipped: number }

/** The selected events, newest first. Throws a Fault (exit 5) when the page before ended at an event that is gone. */
export const readSelected = async (cli: Cli, { fits, fitsState, isLive, since, limit, cursor }: Selection): Promise<Selected> => {
  const { events, truncated, skipped, met } = await readEvents(journalFolder(cli.workspace.dataDir), {
    fits,
    limit: isLive ? Math.max(limit, maxLooked) : limit,
    ...(since === undefined ? {} : { since }),
    ...(cursor === undefined ? {} : { after: cursor }),
  })
  if (!met)
    throw new Fault('not_found', `the event "${cursor}" is not in the journal any more`, {
      exitCode: exit.notFound,
      hint: 'begin again without --cursor',
    })
  const seen = (await withStandings(cli, events)).filter(({ state }) => fitsState(state))
  const page = seen.slice(0, limit)
  // In the order of reading: sorted by time it would leave out what was written later and arrived earlier.
  const last = seen.length > limit ? page.at(-1)?.event : truncated ? events.at(-1) : undefined
  return { seen: page.sort((a, b) => (a.event.at < b.event.at ? 1 : a.event.at > b.event.at ? -1 : 0)), next: last?.event_id, skipped }
}

/** The events of these ids or beginnings of ids. Throws a Fault (exit 5) for the first that is not in the journal. */
export const findSeen = async (cli: Cli, ids: readonly string[]): Promise<readonly KnownEvent[]> => {
  const events = new Map<string, EventView>()
  for (const id of new Set(ids)) {
    const event = await findEvent(cli, id)
    events.set(event.event_id, event)
  }
  return withStandings(cli, [...events.values()])
}

const findEvent = async (cli: Cli, id: string): Promise<EventView> => {
  const found = await readEvent(journalFolder(cli.workspace.dataDir), id)
  if (found.kind === 'found') return found.event
  if (found.kind === 'ambiguous')
    throw new Fault('ambiguous', `several ids begin with "${id}"`, { exitCode: exit.notFound, suggest: found.ids })
  const hint = `at least six characters of an id of: ${cli.workspace.self} events list`
  throw new Fault('not_found', `no event "${id}" in the journal`, { exitCode: exit.notFound, hint })
}

type Standings = ReadonlyMap<string, Standing>

/** Asks a running gateway how those stand that have not ended; without one they are as the journal says. */
const withStandings = async (cli: Cli, events: readonly EventView[]): Promise<readonly KnownEvent[]> => {
  const waiting = idsOf(events.filter(({ state }) => state === 'waiting'))
  const ask = (ids: readonly string[]) => standingsOf(ids, (some) => tryGateway(cli.workspace, 'POST', '/events/standings', { ids: some }))
  const standings = waiting.length > 0 ? await orSaid(ask(waiting), cli) : undefined
  if (!standings) return events.map((event) => seenAs(event, undefined))
  const missing = events.filter(({ event_id, state }) => state === 'waiting' && !standings.has(event_id))
  const second = missing.length > 0 ? await orSaid(lookAgain(cli, missing, ask), cli) : undefined
  return events.map((event) => second?.get(event.event_id) ?? seenAs(event, standings.get(event.event_id)))
}

/** A gateway that cannot say it (its store is broken, it hangs) keeps nobody from reading the journal. */
const orSaid = async <T>(asked: Promise<T>, cli: Cli): Promise<T | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    note(cli, `as the journal says: ${error.message}`)
    return undefined
  }
}

/**
 * Those of which the gateway has no run. They ended between the two looks: then the journal says so by now, because it is written
 * before the store forgets. Or another event of their group has its run. Or the line of their end was lost.
 */
const lookAgain = async (
  cli: Cli,
  missing: readonly EventView[],
  ask: (ids: readonly string[]) => Promise<Standings | undefined>,
): Promise<ReadonlyMap<string, KnownEvent>> => {
  const ids = new Set(idsOf(missing))
  const groups = new Set(missing.flatMap(({ group }) => group ?? []))
  const fits = ({ event_id, group }: EventView): boolean => ids.has(event_id) || (group !== undefined && groups.has(group))
  const { events } = await readEvents(journalFolder(cli.workspace.dataDir), { fits, limit: maxLooked })
  const siblings = events.filter(({ group, state }) => group !== undefined && state === 'waiting')
  const standings = siblings.length > 0 ? await ask(idsOf(siblings)) : undefined
  const running = new Set(siblings.flatMap(({ event_id, group }) => (standings?.has(event_id) ? (group ?? []) : [])))
  const latest = new Map(events.map((event) => [event.event_id, event]))
  return new Map(
    missing.map((before) => {
      const event = latest.get(before.event_id) ?? before
      const seen = seenAs(event, standings?.get(event.event_id))
      if (seen.state !== 'waiting' || standings?.has(event.event_id)) return [event.event_id, seen]
      return [event.event_id, { ...seen, state: event.group !== undefined && running.has(event.group) ? 'merged' : 'unknown' }]
    }),
  )
}

const idsOf = (events: readonly EventView[]): string[] => events.map(({ event_id }) => event_id)

const seenAs = (event: EventView, standing: Standing | undefined): KnownEvent => {
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

/** How the runs of these events stand in the running gateway. Throws a Fault when none runs. */
export const askStandings = async (cli: Cli, events: readonly EventView[]): Promise<Standings> =>
  (await standingsOf(idsOf(events), (ids) => askGateway(cli.workspace, 'POST', '/events/standings', { ids }))) ?? new Map()

const maxIdsAtOnce = 1_000

const standingsOf = async (ids: readonly string[], ask: (ids: string[]) => Promise<Json | undefined>): Promise<Standings | undefined> => {
  const standings = new Map<string, Standing>()
  for (let from = 0; from === 0 || from < ids.length; from += maxIdsAtOnce) {
    const answer = await ask(ids.slice(from, from + maxIdsAtOnce))
    if (answer === undefined) return undefined
    const list = isObject(answer) && Array.isArray(answer.standings) ? answer.standings : []
    for (const standing of list as unknown as Standing[]) standings.set(standing.eventId, standing)
  }
  return standings
}
