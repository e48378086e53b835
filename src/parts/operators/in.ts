/** The operator `in` holds when the field of a condition equals one of a list of values (rules: Filters 5). */

import { compileOneOf } from '../../expr/equal.ts'
import type { ExactOperator } from './operator.ts'

export const inList: ExactOperator = {
  name: 'in',
  compile(list) {
    return compileOneOf(Array.isArray(list) ? list : [])
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
