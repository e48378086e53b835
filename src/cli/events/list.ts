/** `events list`: one event a line, newest first, whether a gateway runs or not. */

import { selectionOf } from '../../app/events/event-selection.ts'
import { selectEvents } from '../../app/events/events.ts'
import { describeEvent, type KnownEvent, outcomeOf, sourceOf } from '../../app/events/known-event.ts'
import { quoted } from '../../app/routes/curl.ts'
import { checkSources } from '../../app/events/known-words.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { criteriaOf, type PageOptions } from './selection.ts'
import { cell, shortIds, shownTime } from './view.ts'

export type ListOptions = PageOptions & { readonly wide?: boolean; readonly follow?: boolean }

const defaultLimit = 50
const maxNote = 80

export const eventsList = async ({ wide = false, follow = false, ...options }: ListOptions, cli: Cli): Promise<number> => {
  const { workspace } = cli
  if (follow) return (await import('./follow.ts')).eventsFollow({ wide, ...options }, cli)
  const selection = selectionOf(criteriaOf(options), defaultLimit)
  const { events, next, skipped, notices } = await selectEvents(workspace, gatewayAt(workspace), selection)
  note(cli, ...notices)
  if (events.length === 0) {
    // Events of a route that is gone may be there; a name that nothing has is a slip.
    await checkSources(workspace, options)
    note(cli, 'no such events')
  }
  if (next !== undefined) note(cli, `there are more: ${nextPage({ ...options, wide }, next, cli)}`)
  if (skipped > 0) note(cli, `${skipped} damaged lines of the journal were left out`)
  const data = { events: events.map(describeEvent), more: next !== undefined, next: next ?? null, skipped }
  return answer(cli, { kind: 'events.list', data, text: tableOf(events, wide, cli) })
}

/** The same command for what comes after. */
const nextPage = (options: ListOptions, cursor: string, { workspace: { self } }: Cli): string => {
  const given = Object.entries({ ...options, cursor }).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : value === false ? [] : [`--${name}`, quoted(String(value))],
  )
  return [self, 'events list', ...given].join(' ')
}

export const tableHead = (wide: boolean): readonly string[] => [
  ...['ID', 'TIME', 'ROUTE', 'EVENT', 'OUTCOME', 'STATE', 'ATTEMPTS'],
  ...(wide ? ['PROFILE', 'TARGET', 'DELIVERY'] : []),
  'NOTE',
]

const tableOf = (events: readonly KnownEvent[], wide: boolean, { io }: Cli): string => {
  const head = tableHead(wide)
  const idOf = wide ? (id: string) => cell(id) : shortIds(events.map(({ event }) => event.event_id))
  const rows = events.map((each) => rowOf(each, wide, idOf))
  const { dim } = paintWith(io.colour)
  return aligned(io.isTty && rows.length > 0 ? [head, ...rows] : rows)
    .map((line, i) => `${io.isTty && i === 0 ? dim(line) : line}\n`)
    .join('')
}

/** One event as a row of the table. */
export const rowOf = (known: KnownEvent, wide: boolean, idOf: (id: string) => string): string[] => {
  const { event, state, attempt } = known
  return [
    idOf(event.event_id),
    shownTime(event.at),
    cell(sourceOf(event)),
    cell(event.event_type, 40),
    cell(outcomeOf(event)),
    state,
    cell(attempt || undefined),
    ...(wide ? [cell(event.profile), cell(event.target), cell(event.delivery_id)] : []),
    cell(noteOf(known), wide ? 1024 : maxNote),
  ]
}

const noteOf = ({ event, attempt, nextAt, error, state }: KnownEvent): string | undefined => {
  const parts = [
    ...(event.reason === undefined ? [] : [event.reason]),
    ...(nextAt === undefined ? [] : [`${attempt > 0 ? 'next try' : 'due'} ${shownTime(nextAt)}`]),
    ...(error === undefined ? [] : [error]),
    ...(state === 'unknown' ? ['its end is not in the journal'] : []),
    ...(event.silent ? ['silent'] : []),
    ...(event.group === undefined ? [] : [`group ${event.group.slice(0, 8)}`]),
    ...(event.count === undefined || event.group === undefined ? [] : [`${event.count} events in one run`]),
    ...(event.replay_of === undefined ? [] : [`replay of ${event.replay_of.slice(0, 8)}`]),
  ]
  return parts.length > 0 ? parts.join('; ') : undefined
}
