/** Shows help: a filter, and the keys of the screen below with what each key does. */

import { cutOrPad } from '../../model/cells.ts'
import { areaUnderHead } from '../../model/list.ts'
import type { HelpScreen } from '../../model/overlays.ts'
import { FilterLine, NoRows } from '../../view/filter.tsx'
import { List } from '../../view/list.tsx'
import { Gap } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { helpRows } from './help.ts'

export const HelpView = ({ screen, world, room }: ScreenProps<HelpScreen>) => {
  const rows = helpRows(screen, world)
  return (
    <>
      <FilterLine of={screen} width={room.width} />
      <Gap />
      {rows.length === 0 && <NoRows of={screen} without="no keys" />}
      <List rows={rows} area={areaUnderHead(screen, rows, room)}>
        {({ keys, title, group }) => (
          <>
            <Span tone="accent">{cutOrPad(keys, 16)}</Span> <Span>{cutOrPad(title, 50)}</Span>
            <Span tone="dim">{group}</Span>
          </>
        )}
      </List>
    </>
  )
}
