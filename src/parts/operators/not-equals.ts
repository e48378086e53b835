/**
 * The operator `not_equals` holds when the field of a condition is missing, or does not deeply equal the operand, a JSON value
 * (rules: Filters 4, 5).
 */

import { compileEqual } from '../../expr/equal.ts'
import type { BuiltinOperator } from './operator.ts'

export const notEquals: BuiltinOperator = {
  name: 'not_equals',
  schema: {
    type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
    description: 'The field does not equal this JSON value; a missing field passes.',
    markdownDescription: 'The field does not equal this JSON value. A missing field passes.',
    'x-fits': ['string', 'number', 'boolean', 'null', 'array', 'object'],
  },
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
