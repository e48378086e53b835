/** The state of the filters screen, on which the user sees, adds and changes the conditions of a route. */

import { type ConditionRow, conditionRows } from '../../../edit/conditions.ts'
import type { Screen, World } from '../../model/screen.ts'

/**
 * What is known so far of a condition that is being added or changed. `row`: the condition to change. For a new condition, it is the row
 * of the cursor, which decides where the new condition goes.
 */
export type EditedCondition = {
  readonly isNew: boolean
  readonly row: ConditionRow | undefined
  readonly field?: string
  readonly operator?: string
}

declare module '../../model/screen.ts' {
  interface Screens {
    readonly filters: FiltersScreen
  }
}

export type FiltersScreen = Screen & {
  readonly kind: 'filters'
  /** The row of the cursor. The row behind the last condition is the place for a new condition. */
  readonly cursor: number
  /** The condition about which an overlay above this screen asks. */
  readonly edited?: EditedCondition
}

/** Returns the conditions and groups of the open route as rows, in the order in which the file has them. */
export const conditionRowsOf = ({ draft }: Pick<World, 'draft'>): readonly ConditionRow[] => (draft ? conditionRows(draft.spec) : [])
