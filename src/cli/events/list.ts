/** `events list`: prints a page of events, one a line, the newest first. It works with and without a running gateway. */

import { quoted } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { readEventPage } from '../../operate/events/event-page.ts'
import { describeEvent, type EventStatus } from '../../operate/events/event-status.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { criteriaOf, type PageOptions } from './selection.ts'
import { eventCells, tableHead } from './table.ts'
import { shortIds, tableCell } from './view.ts'

export type EventsListOptions = PageOptions & { readonly wide?: boolean; readonly follow?: boolean }

const defaultLimit = 50

export const eventsList = async ({ wide = false, follow = false, ...options }: EventsListOptions, cli: Cli): Promise<number> => {
  const { workspace } = cli
  if (follow) return (await import('./follow.ts')).eventsFollow({ wide, ...options }, cli)
  const page = await readEventPage(workspace, gatewayAt(workspace), criteriaOf(options), defaultLimit)
  const { events, next, skipped, notices } = page
  note(cli, ...notices)
  if (events.length === 0 && next === undefined) note(cli, 'no such events')
  if (next !== undefined) note(cli, `there are more: ${nextPage({ ...options, wide }, next, cli)}`)
  if (skipped > 0) note(cli, `${skipped} damaged lines of the journal were left out`)
  const data = { events: events.map(describeEvent), more: next !== undefined, next: next ?? null, skipped }
  return answer(cli, { kind: 'events.list', data, text: eventTable(events, wide, cli) })
}

/** Returns the command line that lists the next page with the same options. `cursor`: the id after which that page begins. */
const nextPage = (options: EventsListOptions, cursor: string, { workspace: { self } }: Cli): string => {
  const given = Object.entries({ ...options, cursor }).flatMap(([name, value]) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (typeof value === 'boolean') return value ? [option] : []
    return [value].flat().flatMap((each) => [option, quoted(String(each))])
  })
  return [self, 'events list', ...given].join(' ')
}

const eventTable = (events: readonly EventStatus[], wide: boolean, { io }: Cli): string => {
  const head = tableHead(wide)
  const idOf = wide ? (id: string) => tableCell(id) : shortIds(events.map(({ event }) => event.event_id))
  const rows = events.map((each) => eventCells(each, wide, idOf))
  const { dim } = paintWith(io.colour)
  return aligned(io.isTty && rows.length > 0 ? [head, ...rows] : rows)
    .map((line, i) => `${io.isTty && i === 0 ? dim(line) : line}\n`)
    .join('')
}
