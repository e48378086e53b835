/**
 * Shows the filters screen: the tree of conditions with their verdicts, values and tallies, and below the tree the remarks on the condition
 * of the cursor.
 */

import type { ConditionRow } from '../../../edit/conditions.ts'
import { cutOrPad } from '../../model/cells.ts'
import type { World } from '../../model/screen.ts'
import { List } from '../../view/list.tsx'
import { Pane } from '../../view/pane.tsx'
import { Remarks } from '../../view/remarks.tsx'
import { Gap, Row } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { type ConditionColumns, ConditionRowView } from './condition-row-view.tsx'
import { conditionRowsOf, type FiltersScreen } from './filters-screen.ts'
import { filtersLayout } from './layout.ts'
import { sampleCounts } from './verdicts.ts'

/** The least width at which a tally is followed by words that explain it. */
const wideFrom = 90

export const FiltersView = ({ screen, world, room }: ScreenProps<FiltersScreen>) => {
  const { width, height } = room
  const rows = conditionRowsOf(world)
  const { above, list, below } = filtersLayout(screen, world, room)
  const columns = columnsOf(width - 2)
  return (
    <>
      <Headings world={world} columns={columns} />
      <Remarks of={above} />
      <List<ConditionRow | undefined> rows={[...rows, undefined]} area={list}>
        {(row) =>
          row ? (
            <ConditionRowView row={row} rows={rows} world={world} columns={columns} />
          ) : (
            <Span tone="dim">{placeForMore(rows, world)}</Span>
          )
        }
      </List>
      <Gap />
      <Pane width={width} height={Math.max(0, height - list.above - list.height - 1)}>
        <Remarks of={below} />
      </Pane>
    </>
  )
}

const columnsOf = (width: number): ConditionColumns => {
  const [verdict, tally] = [5, width >= wideFrom ? 24 : 7]
  const rest = width - verdict - tally - 3
  const condition = Math.floor(rest * (width >= wideFrom ? 0.62 : 0.7))
  return { condition, verdict, seen: rest - condition, tally }
}

const placeForMore = (rows: readonly ConditionRow[], { options }: World): string => {
  const empty = rows.length === 0 ? 'no conditions: every event passes' : ''
  return options.readOnly ? empty : [empty, 'a adds a condition'].filter(Boolean).join('; ')
}

const Headings = ({ world, columns }: { readonly world: World; readonly columns: ConditionColumns }) => {
  const { condition, verdict, seen, tally } = columns
  const { counted, untried } = sampleCounts(world)
  const whole = Array.isArray(world.draft?.spec.filters) ? 'filters (all must hold)' : 'filters'
  const samples = tally > 7 ? `samples ${counted}${untried > 0 ? ` (${untried} not tried)` : ''}` : `of ${counted}`.padStart(6)
  return (
    <Row>
      <Span tone="strong">{cutOrPad(`  ${whole}`, condition + 3)}</Span>
      <Span tone="dim">{`${cutOrPad('this payload', verdict + seen + 2)}${samples}`}</Span>
    </Row>
  )
}
