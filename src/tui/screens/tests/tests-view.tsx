/** Shows the tests screen: the tests as a list, and below the list the test of the cursor as it is written in the route. */

import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import { testRows } from '../../../edit/route-tests.ts'
import { cutOrPad } from '../../model/cells.ts'
import { List } from '../../view/list.tsx'
import { Gap, Row, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { type TestsScreen, testListArea, testsIn } from './tests.ts'

export const TestsView = ({ screen: { cursor }, world, room }: ScreenProps<TestsScreen>) => {
  const rows = testRows(world.draft?.spec ?? {})
  const { width, height } = room
  if (rows.length === 0)
    return (
      <Row>
        <Span tone="dim">no tests yet: a makes one of the payload, and headgate test runs it</Span>
      </Row>
    )
  const area = testListArea(cursor, rows.length, room)
  const written = writeCarriedNumbers(JSON.stringify(testsIn(world)[cursor] ?? null, null, 2)).split('\n')
  return (
    <>
      <List rows={rows} area={area}>
        {({ name, sends, expects }) => (
          <>
            <Span>{cutOrPad(name, Math.floor(width * 0.4))}</Span>
            <Span tone="dim">{` ${cutOrPad(sends, Math.floor(width * 0.3))} ${expects}`}</Span>
          </>
        )}
      </List>
      <Gap />
      <Rows of={written.slice(0, height - area.height - 1)} tone="dim" />
    </>
  )
}
