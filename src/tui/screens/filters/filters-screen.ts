/** The state of the filter builder. */

import { type ConditionRow, conditionRows } from '../../../app/editor/conditions.ts'
import type { Screen, World } from '../../model/screen.ts'

/** The condition that is being made or changed, as far as it is known. `row`: the one that is changed, or by which a new one is put. */
export type EditedCondition = {
  readonly isNew: boolean
  readonly row: ConditionRow | undefined
  readonly field?: string
  readonly operator?: string
}

export type FiltersScreen = Screen & {
  readonly kind: 'filters'
  /** Behind the last condition is the place for a new one. */
  readonly cursor: number
  /** What the list or the line above is about. */
  readonly edited?: EditedCondition
}

export const rowsOf = ({ draft }: Pick<World, 'draft'>): readonly ConditionRow[] => (draft ? conditionRows(draft.spec) : [])
