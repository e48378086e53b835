/**
 * The operator `not_equals` holds when the field of a condition is missing, or does not deeply equal the operand, a JSON value
 * (rules: Filters 4, 5).
 */

import { compileEqual } from '../../expr/equal.ts'
import type { ExactOperator } from './operator.ts'

export const notEquals: ExactOperator = {
  name: 'not_equals',
  compile(unwanted) {
    const equal = compileEqual(unwanted)
    return (value) => !equal(value)
  },
  domain: (unwanted) => ({ kind: 'none_of', values: [unwanted] }),
  examples: [
    { operand: 'bot', value: 'ann', holds: true },
    { operand: 'bot', value: 'bot', holds: false },
    { operand: 'bot', holds: true },
    { operand: [], value: [], holds: false },
  ],
}
