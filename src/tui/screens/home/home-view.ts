/** The list of all routes with its headings, and what the route of the cursor does. */

import type { World } from '../../model/screen.ts'
import { fieldView } from '../../view/field-view.ts'
import { beside, cell, type Line, line, type Span, span, wrap } from '../../view/line.ts'
import { longListView } from '../../view/list-view.ts'
import { type Room, screenView } from '../../view/screen-view.ts'
import type { HomeScreen } from './home.ts'
import { previewLines } from './preview-lines.ts'
import { type RouteLine, rowsOf } from './rows.ts'

/** From this width on the preview stands beside the list, else below it where the terminal is high enough. */
const wide = 120
const high = 16

export const homeView = screenView<HomeScreen>((screen, world, room) => {
  const { width, height } = room
  const row = rowsOf(screen, world)[screen.cursor]
  if (!row) return listPane(screen, world, room)
  if (width >= wide) {
    const left = Math.floor(width * 0.56)
    return beside(listPane(screen, world, { width: left, height }), previewLines(row, width - left - 3).slice(0, height), width, left)
  }
  if (height < high) return listPane(screen, world, room)
  const below = Math.min(12, Math.floor(height / 2) - 1)
  const rule = line(span('─'.repeat(width), 'dim'))
  const list = listPane(screen, world, { width, height: height - below - 1 })
  const gap = Array.from({ length: Math.max(0, height - below - 1 - list.length) }, (): Line => [])
  return [...list, ...gap, rule, ...previewLines(row, width).slice(0, below)]
})

const listPane = (screen: HomeScreen, world: World, { width, height }: Room): readonly Line[] => {
  const { home } = world
  if (!home) return [line(span('reading the routes …', 'dim'))]
  const rows = rowsOf(screen, world)
  const columns = columnsOf(width)
  const head: Line[] = [
    ...(home.problem ? wrap(`! ${home.problem.said}; E opens it there`, width).map((text) => line(span(text, 'bad'))) : []),
    ...(screen.isFinding || screen.search.text !== '' ? [line(span('filter ', 'dim'), ...fieldView(screen.search, width - 10))] : []),
    ...(rows.length > 0 ? [headLine(columns)] : []),
  ]
  const none = home.rows.length === 0 ? 'no routes yet: a adds one' : 'no route fits the filter'
  return [
    ...head,
    ...(rows.length > 0
      ? longListView(rows, (row) => rowLine(row, columns), screen.cursor, { width, height: height - head.length })
      : [line(span(none, 'dim'))]),
  ]
}

type Columns = { readonly name: number; readonly events: number; readonly deliver: number }

const columnsOf = (width: number): Columns => {
  const events = width < 90 ? 0 : 18
  return { name: Math.max(14, Math.min(32, Math.floor(width * 0.24))), events, deliver: width <= 60 ? 13 : width < 80 ? 14 : 18 }
}

const headLine = ({ name, events, deliver }: Columns): Line => {
  const head = (text: string, width: number): Span => cell(text, width, 'dim')
  return line(
    '  ',
    head('NAME', name),
    ' ',
    head('IN', 4),
    head('MODE', 9),
    head('EVENTS', events),
    head('DELIVER', deliver),
    ' ',
    head('STATE', 12),
    span('CAME', 'dim'),
  )
}

const rowLine = (row: RouteLine, { name, events, deliver }: Columns): Line =>
  line(
    cell(row.name, name, 'strong'),
    ' ',
    cell(row.source === 'config' ? 'cfg' : 'sub', 4, 'dim'),
    cell(row.mode, 9),
    cell(row.events.length === 0 ? '*' : row.events.join(', '), events),
    cell(row.deliver, deliver),
    ' ',
    stateOf(row),
    span(row.recorded > 0 ? String(row.recorded) : '', 'dim'),
  )

/** What is not saved is starred. */
const stateOf = ({ enabled, shadowed, errors, warnings, change }: RouteLine): Span => {
  if (change !== undefined) return cell(`*${change.replace('switched ', '')}`, 12, 'warn')
  if (shadowed) return cell('SHADOWED', 12, 'warn')
  if (!enabled) return cell('disabled', 12, 'dim')
  if (errors > 0) return cell(`${errors} error${errors > 1 ? 's' : ''}`, 12, 'bad')
  return warnings > 0 ? cell(`${warnings} warning${warnings > 1 ? 's' : ''}`, 12, 'warn') : cell('ok', 12, 'ok')
}
