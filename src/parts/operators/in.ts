/** The operator `in` holds when the field of a condition equals one of a list of values (rules: Filters 5). */

import type { Json } from '../../core/json.ts'
import { compileEqual } from '../../expr/equal.ts'
import type { OperatorPart } from './operator.ts'

/** Whether a value is a list or a map. Any other value is looked up in a set, without a comparison with each item. */
const isNested = (item: Json): boolean => typeof item === 'object' && item !== null

export const inList: OperatorPart = {
  name: 'in',
  compile(list) {
    const items = Array.isArray(list) ? list : []
    const scalars = new Set<Json | undefined>(items.filter((item) => !isNested(item)))
    const nested = items.filter(isNested).map(compileEqual)
    if (nested.length === 0) return (value) => scalars.has(value)
    return (value) => scalars.has(value) || nested.some((equal) => equal(value))
  },
  domain: (list) => ({ kind: 'one_of', values: Array.isArray(list) ? list : [] }),
  examples: [
    { operand: ['opened', 'reopened'], value: 'opened', holds: true },
    { operand: ['opened', 'reopened'], value: 'closed', holds: false },
    { operand: [1], value: '1', holds: false },
    { operand: [null, { a: 1 }], value: { a: 1 }, holds: true },
    { operand: [null, { a: 1 }], value: null, holds: true },
    { operand: [[1]], value: [2], holds: false },
    { operand: [], value: 'a', holds: false },
    { operand: [null], holds: false },
  ],
}
