/** Shows a list to pick from, and the filter of it. */

import { cutOrPad } from '../../model/cells.ts'
import { areaUnderHead, shownRange } from '../../model/list.ts'
import { noMarkRow, type PickRow, type PickScreen } from '../../model/overlays.ts'
import { FilterLine, NoRows } from '../../view/filter.tsx'
import { List } from '../../view/list.tsx'
import { Gap } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { rowsFound } from './pick.ts'

export const PickView = ({ screen, room }: ScreenProps<PickScreen>) => {
  const { free, marks } = screen
  const { width } = room
  const rows = rowsFound(screen)
  const area = areaUnderHead(screen, rows, room)
  const longest = rows.reduce((most, { title }) => Math.max(most, title.length), 12)
  const wide = Math.min(longest, Math.floor(width * 0.6))
  const markOf = ({ value }: PickRow): string => {
    if (!marks || value === noMarkRow.value) return ''
    return marks.all.includes(value) ? '[x] ' : '[ ] '
  }
  return (
    <>
      <FilterLine of={screen} width={width} said={`  ${shownRange(area)}`} />
      <Gap />
      {rows.length > 0 ? (
        <List rows={rows} area={area}>
          {(row) => (
            <>
              <Span>{`${markOf(row)}${cutOrPad(row.title, wide)} `}</Span>
              <Span tone="dim">{row.detail ?? ''}</Span>
            </>
          )}
        </List>
      ) : (
        <NoRows of={screen} without={free ? 'type it' : 'nothing to choose from'} />
      )}
    </>
  )
}
