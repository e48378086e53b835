/** The list of all routes. */

import { fieldView } from '../../view/field-view.ts'
import { cell, type Line, line, type Span, span } from '../../view/line.ts'
import { longListView } from '../../view/list-view.ts'
import { screenView } from '../../view/screen-view.ts'
import type { HomeScreen } from './home.ts'
import { type RouteLine, rowsOf } from './rows.ts'

export const homeView = screenView<HomeScreen>((screen, world, { width, height }) => {
  const { home } = world
  if (!home) return [line(span('reading the routes …', 'dim'))]
  const rows = rowsOf(screen, world)
  const head: Line[] = [
    ...(home.problem === undefined ? [] : [line(span(`! ${home.problem}`, 'bad'))]),
    ...(screen.isFinding || screen.search.text !== '' ? [line(span('filter ', 'dim'), ...fieldView(screen.search, width - 10))] : []),
  ]
  const none = home.rows.length === 0 ? 'no routes yet: a adds one' : 'no route fits the filter'
  return [
    ...head,
    ...(rows.length > 0
      ? longListView(rows, (row) => rowLine(row, width), screen.cursor, { width, height: height - head.length })
      : [line(span(none, 'dim'))]),
  ]
})

const rowLine = (row: RouteLine, width: number): Line => {
  const { name, source, mode, events, deliver } = row
  const wide = Math.max(14, Math.min(32, Math.floor(width * 0.24)))
  const isNarrow = width < 90
  return line(
    cell(name, wide, 'strong'),
    ' ',
    cell(source === 'config' ? 'cfg' : 'sub', 4, 'dim'),
    cell(mode, 9),
    ...(isNarrow ? [] : [cell(events.length === 0 ? '*' : events.join(', '), 18), ' ']),
    cell(deliver, isNarrow ? 14 : 18),
    ' ',
    stateOf(row),
    span(row.recorded > 0 ? `  ${row.recorded} ev` : '', 'dim'),
  )
}

/** What is not saved is starred. */
const stateOf = ({ enabled, shadowed, errors, warnings, change }: RouteLine): Span => {
  if (change !== undefined) return cell(`*${change.replace('switched ', '')}`, 12, 'warn')
  if (shadowed) return cell('SHADOWED', 12, 'warn')
  if (!enabled) return cell('disabled', 12, 'dim')
  if (errors > 0) return cell(`${errors} error${errors > 1 ? 's' : ''}`, 12, 'bad')
  return warnings > 0 ? cell(`${warnings} warning${warnings > 1 ? 's' : ''}`, 12, 'warn') : cell('ok', 12, 'ok')
}
