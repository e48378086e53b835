/** The operator `in` holds when the field of a condition equals one of a list of values (rules: Filters 5). */

import { compileOneOf } from '../../expr/equal.ts'
import type { BuiltinOperator } from './operator.ts'

export const oneOf: BuiltinOperator = {
  name: 'in',
  schema: {
    type: 'array',
    items: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] },
    description: 'The field equals one of these values.',
    markdownDescription: 'The field equals one of these values.\n\nExample: `in: [opened, reopened]`',
    'x-fits': ['string', 'number'],
  },
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
