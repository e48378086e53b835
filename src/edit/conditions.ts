/** Lists the conditions of a route as the rows of a tree, in the order in which they are written. */

import { definition } from '../config/schema-walk.ts'
import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { conditionName } from '../expr/condition.ts'

export type ConditionRow = {
  /** The path of the condition inside the route: `['filters', 1, 'any', 0]`. */
  readonly path: Path
  /** The name that a trace gives to the condition: `filters[1].any[0]`. */
  readonly name: string
  /** The number of groups around the condition. */
  readonly depth: number
  /** `test`: one condition. `group`: an `all`, `any` or `not` with the conditions in it. `odd`: the written value is not a condition. */
  readonly kind: 'test' | 'group' | 'odd'
  /** The operator, or `all`, `any`, `not`; empty for an `odd` row. */
  readonly operator: string
  readonly operand?: Json
  /** The field that is compared; `undefined` for groups, and for operators that take no field. */
  readonly field?: string
}

const groups = definition('Condition')['x-groups'] as readonly string[]

/** Returns the rows of all conditions. `filters` may be a list of conditions or a single condition. */
export const conditionRows = ({ filters }: JsonObject): readonly ConditionRow[] => {
  if (filters === undefined || filters === null) return []
  return Array.isArray(filters) ? filters.flatMap((each, i) => rowsAt(each, ['filters', i], 0)) : rowsAt(filters, ['filters'], 0)
}

/** Returns the rows of one condition and of the conditions inside it. The row of a group comes before the rows of its members. */
const rowsAt = (written: Json, path: Path, depth: number): readonly ConditionRow[] => {
  const at = { path, name: conditionName(path.slice(1)), depth }
  const odd: ConditionRow = { ...at, kind: 'odd', operator: '', operand: written }
  if (!isObject(written)) return [odd]
  const [operator, ...others] = Object.keys(written).filter((key) => key !== 'field' && !key.startsWith('x-'))
  if (operator === undefined || others.length > 0) return [odd]
  const operand = own(written, operator) as Json
  const field = own(written, 'field')
  if (!groups.includes(operator)) return [{ ...at, kind: 'test', operator, operand, ...(typeof field === 'string' ? { field } : {}) }]
  const group: ConditionRow = { ...at, kind: 'group', operator, operand }
  const below = [...path, operator]
  if (operator === 'not') return [group, ...rowsAt(operand, below, depth + 1)]
  return Array.isArray(operand) ? [group, ...operand.flatMap((each, i) => rowsAt(each, [...below, i], depth + 1))] : [odd]
}
