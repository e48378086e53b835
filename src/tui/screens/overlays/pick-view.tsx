/** Shows a list to pick from, and the search in it. */

import { cell } from '../../model/cells.ts'
import { positionOf } from '../../model/list.ts'
import { noMark, type PickRow, type PickScreen } from '../../model/overlays.ts'
import { Field } from '../../view/field.tsx'
import { List } from '../../view/list.tsx'
import { Gap, Row } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { found } from './pick.ts'
import { underHead } from './under-head.ts'

export const PickView = ({ screen, room }: ScreenProps<PickScreen>) => {
  const { search, free, marks } = screen
  const { width } = room
  const rows = found(screen)
  const area = underHead(screen, rows, room)
  const longest = rows.reduce((most, { title }) => Math.max(most, title.length), 12)
  const wide = Math.min(longest, Math.floor(width * 0.6))
  const markOf = ({ value }: PickRow): string => {
    if (!marks || value === noMark.value) return ''
    return marks.all.includes(value) ? '[x] ' : '[ ] '
  }
  return (
    <>
      <Row>
        <Span tone="dim">{'search '}</Span>
        <Field field={search} width={width - 30} />
        <Span tone="dim">{`  ${positionOf(area)}`}</Span>
      </Row>
      <Gap />
      {rows.length > 0 ? (
        <List rows={rows} area={area}>
          {(row) => (
            <>
              <Span>{`${markOf(row)}${cell(row.title, wide)} `}</Span>
              <Span tone="dim">{row.detail ?? ''}</Span>
            </>
          )}
        </List>
      ) : (
        <Row>
          <Span tone="dim">{free ? 'type it' : 'nothing found'}</Span>
        </Row>
      )}
    </>
  )
}
