/** The operator `equals` holds when the field of a condition deeply equals the operand, a JSON value (rules: Filters 5). */

import { compileEqual } from '../../expr/equal.ts'
import type { BuiltinOperator } from './operator.ts'

export const equals: BuiltinOperator = {
  name: 'equals',
  schema: {
    type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
    description: 'The field equals this JSON value, deeply.',
    markdownDescription: 'The field equals this JSON value, deeply.\n\nExample: `equals: opened`',
    'x-fits': ['string', 'number', 'boolean', 'null', 'array', 'object'],
  },
  compile: compileEqual,
  domain: (wanted) => ({ kind: 'one_of', values: [wanted] }),
  examples: [
    { operand: 'opened', value: 'opened', holds: true },
    { operand: 'opened', value: 'Opened', holds: false },
    { operand: 5, value: '5', holds: false },
    { operand: null, value: null, holds: true },
    { operand: null, holds: false },
    { operand: { a: [1], b: null }, value: { b: null, a: [1] }, holds: true },
    { operand: [1, 2], value: [2, 1], holds: false },
  ],
}
