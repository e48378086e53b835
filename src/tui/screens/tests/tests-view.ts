/** The tests as a list, and the one of the cursor as it is written below it. */

import { testRows } from '../../../app/editor/route-tests.ts'
import { cell, type Line, line, span } from '../../view/line.ts'
import { listView } from '../../view/list-view.ts'
import { screenView } from '../../view/screen-view.ts'
import { type TestsScreen, testsIn } from './tests.ts'

export const testsView = screenView<TestsScreen>(({ cursor }, world, { width, height }) => {
  const rows = testRows(world.draft?.spec ?? {})
  if (rows.length === 0) return [line(span('no tests yet: a makes one of the payload, and headgate test runs it', 'dim'))]
  const wide = Math.floor(width * 0.4)
  const lines = rows.map(({ name, sends, expects }) =>
    line(cell(name, wide), ' ', cell(sends, Math.floor(width * 0.3), 'dim'), ' ', span(expects, 'dim')),
  )
  const room = Math.min(rows.length, Math.max(3, Math.floor(height / 2)))
  return [...listView(lines, cursor, { width, height: room }), [], ...written(testsIn(world)[cursor]).slice(0, height - room - 1)]
})

const written = (test: ReturnType<typeof testsIn>[number] | undefined): readonly Line[] =>
  JSON.stringify(test ?? null, null, 2)
    .split('\n')
    .map((text) => line(span(text, 'dim')))
