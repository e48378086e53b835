/** A list to pick from, narrowed by typing. */

import { fuzzy, moved } from '../../model/list.ts'
import type { PickRow, PickScreen } from '../../model/overlays.ts'
import { screenModel, type Turn } from '../../model/screen.ts'
import { editField, typeInto } from '../../model/text-field.ts'
import { fieldView } from '../../view/field-view.ts'
import { cell, line, span } from '../../view/line.ts'
import { longListView, positionOf } from '../../view/list-view.ts'
import { screenView } from '../../view/screen-view.ts'

/** The rows that the search leaves, the best first, and what was typed itself where it counts. */
const found = ({ all, search: { text }, free }: PickScreen): readonly PickRow[] => {
  if (text === '') return all
  const rows = matching(all, text)
  return !free || rows.some(({ title }) => title === text) ? rows : [...rows, { value: text, title: text, detail: 'as it is typed' }]
}

const matching = (all: readonly PickRow[], text: string): readonly PickRow[] =>
  all
    .map((row) => ({ row, far: fuzzy(`${row.title} ${row.detail ?? ''}`, text) }))
    .flatMap(({ row, far }) => (far === undefined ? [] : [{ row, far }]))
    .sort((a, b) => a.far - b.far)
    .map(({ row }) => row)

export const pickModel = screenModel<PickScreen>({
  title: ({ title }) => title,
  enter: 'choose',
  actions: () => ['open', 'back', 'up', 'down', 'pageUp', 'pageDown'],
  takes: () => 'text',
  type: (screen, text) => ({ screen: { ...screen, search: typeInto(screen.search, text), cursor: 0 } }),
  press: (screen, key) => ({ screen: { ...screen, search: editField(screen.search, key), cursor: 0 } }),
  act(screen, action) {
    if (action === 'back') return { go: { back: true } }
    const rows = found(screen)
    return action === 'open'
      ? picked(screen.id, rows[screen.cursor])
      : { screen: { ...screen, cursor: moved(screen.cursor, action, rows.length) } }
  },
  rows: (screen) => found(screen).map(({ title, detail }) => [title, detail].filter(Boolean).join(': ')),
  point: (screen, cursor) => ({ ...screen, cursor }),
})

const picked = (id: string, row: PickRow | undefined): Turn<PickScreen> =>
  row ? { go: { back: true, returns: { id, value: row.value } } } : {}

export const pickView = screenView<PickScreen>((screen, _world, { width, height }) => {
  const rows = found(screen)
  const longest = rows.reduce((most, { title }) => Math.max(most, title.length), 12)
  const wide = Math.min(longest, Math.floor(width * 0.6))
  const rowLine = ({ title, detail = '' }: PickRow) => line(cell(title, wide), ' ', span(detail, 'dim'))
  const room = { width, height: height - 2 }
  const none = screen.free ? 'type it' : 'nothing found'
  return [
    line(
      span('search ', 'dim'),
      ...fieldView(screen.search, width - 30),
      span(`  ${positionOf(screen.cursor, rows.length, room.height)}`, 'dim'),
    ),
    [],
    ...(rows.length > 0 ? longListView(rows, rowLine, screen.cursor, room) : [line(span(none, 'dim'))]),
  ]
})
