/** The operator `in` holds when the field of a condition equals one of a list of values (rules: Filters 5). */

import { numberKey } from '../../core/exact-number.ts'
import type { ExactJson } from '../../core/json.ts'
import { compileEqual, isNumber } from '../../expr/equal.ts'
import type { ExactOperator } from './operator.ts'

/** Whether a value is a list or a map. Any other value is looked up in a set, without a comparison with each item. */
const isNested = (item: ExactJson): boolean => typeof item === 'object' && item !== null && !isNumber(item)

export const inList: ExactOperator = {
  name: 'in',
  compile(list) {
    const items = Array.isArray(list) ? list : []
    const numbers = new Set(items.filter(isNumber).map(numberKey))
    const others = new Set<ExactJson | undefined>(items.filter((item) => !isNested(item) && !isNumber(item)))
    const nested = items.filter(isNested).map(compileEqual)
    const isScalar = (value: ExactJson | undefined): boolean => (isNumber(value) ? numbers.has(numberKey(value)) : others.has(value))
    if (nested.length === 0) return isScalar
    return (value) => isScalar(value) || nested.some((equal) => equal(value))
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
