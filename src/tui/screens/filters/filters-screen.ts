/** The state of the filter builder. */

import { type ConditionRow, conditionRows } from '../../../app/editor/conditions.ts'
import type { Screen, World } from '../../model/screen.ts'

/**
 * The known parts of a condition that is being added or changed. `row`: the condition to change, or the row that decides where the new
 * condition goes.
 */
export type EditedCondition = {
  readonly isNew: boolean
  readonly row: ConditionRow | undefined
  readonly field?: string
  readonly operator?: string
}

export type FiltersScreen = Screen & {
  readonly kind: 'filters'
  /** The row of the cursor. The row behind the last condition is the place for a new condition. */
  readonly cursor: number
  /** The condition that the list or line above this screen asks about. */
  readonly edited?: EditedCondition
}

export const rowsOf = ({ draft }: Pick<World, 'draft'>): readonly ConditionRow[] => (draft ? conditionRows(draft.spec) : [])
