/** The place of the tree of conditions on the filters screen, and the remarks above and below the tree. */

import type { ConditionRow } from '../../../edit/conditions.ts'
import { describeOperator } from '../../../edit/operators.ts'
import type { ListArea } from '../../model/list.ts'
import { findingRemark, markedRemark, type Remark, refusalRemarks, remarksHeight } from '../../model/remark.ts'
import type { Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { conditionText } from './condition-text.ts'
import { conditionRowsOf, type FiltersScreen } from './filters-screen.ts'
import { findingsOfRow, verdictOf, whyNoVerdicts } from './verdicts.ts'

type FiltersLayout = {
  /** The remarks below the headings: why there are no verdicts. */
  readonly above: readonly Remark[]
  readonly list: ListArea
  /** The remarks on the condition of the cursor. They take at most a third of the screen. */
  readonly below: readonly Remark[]
}

/** Returns the place of the tree in the room of the screen, and the remarks. */
export const filtersLayout = ({ cursor }: Pick<FiltersScreen, 'cursor'>, world: World, { width, height }: Room): FiltersLayout => {
  const rows = conditionRowsOf(world)
  const why = whyNoVerdicts(world)
  const above = why === undefined ? [] : [markedRemark(why, 'warn')]
  const below = conditionRemarks(rows[cursor], rows, world)
  const headHeight = 1 + remarksHeight(above, width)
  const detailHeight = Math.min(remarksHeight(below, width), Math.max(1, Math.floor(height / 3)))
  const list: ListArea = {
    above: headHeight,
    width,
    height: Math.max(1, height - headHeight - detailHeight - 1),
    cursor: Math.min(cursor, rows.length),
    // The last row is the place for a new condition.
    length: rows.length + 1,
  }
  return { above, list, below }
}

/**
 * Returns the remarks on a condition: its full text, its findings, why it fails for the payload, and what its operator means. Before them
 * stands why the draft cannot be put into the file, if it cannot, also where there is no condition.
 */
const conditionRemarks = (row: ConditionRow | undefined, rows: readonly ConditionRow[], world: World): readonly Remark[] => {
  const refused = refusalRemarks(world.preview?.refused)
  if (!row) return refused
  const { judged } = verdictOf(row, world)
  return [
    ...refused,
    { text: conditionText(row), tone: 'strong' },
    ...findingsOfRow(row, rows, world).map(findingRemark),
    ...(judged?.why === undefined ? [] : [{ text: `fails: ${judged.why}`, tone: 'plain' } as const]),
    ...(row.kind === 'test' ? [{ text: describeOperator(row.operator), tone: 'dim' } as const] : []),
  ]
}
