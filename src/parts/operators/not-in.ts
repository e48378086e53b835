/**
 * The operator `not_in` holds when the field of a condition is missing, or equals none of a list of values (rules: Filters 4, 5).
 */

import { compileOneOf } from '../../expr/equal.ts'
import type { BuiltinOperator } from './operator.ts'

export const notIn: BuiltinOperator = {
  name: 'not_in',
  schema: {
    type: 'array',
    items: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] },
    description: 'The field equals none of these values; a missing field passes.',
    markdownDescription:
      'The field equals none of these values. A missing field passes.\n\nExample: `not_in: ["dependabot[bot]", "renovate[bot]"]`',
    'x-fits': ['string', 'number'],
  },
  compile(list) {
    const isIn = compileOneOf(Array.isArray(list) ? list : [])
    return (value) => !isIn(value)
  },
  domain: (list) => ({ kind: 'none_of', values: Array.isArray(list) ? list : [] }),
  examples: [
    { operand: ['opened', 'reopened'], value: 'closed', holds: true },
    { operand: ['opened', 'reopened'], value: 'opened', holds: false },
    { operand: [1], value: '1', holds: true },
    { operand: [null, { a: 1 }], value: { a: 1 }, holds: false },
    { operand: [null], value: null, holds: false },
    { operand: [null], holds: true },
    { operand: [], value: 'a', holds: true },
  ],
}
