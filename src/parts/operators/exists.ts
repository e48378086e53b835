/**
 * The operator `exists` holds when the field of a condition exists; with the operand `false`, when the field is missing (rules: Filters 4).
 */

import type { BuiltinOperator } from './operator.ts'

export const exists: BuiltinOperator = {
  name: 'exists',
  schema: {
    type: 'boolean',
    examples: [true],
    description: 'true: the field is there; false: it is not.',
    markdownDescription: '`true`: the field is there. `false`: it is not.',
    'x-fits': ['string', 'number', 'boolean', 'null', 'array', 'object'],
  },
  compile: (wanted) => (value) => (value !== undefined) === wanted,
  domain: (wanted) => ({ kind: wanted === false ? 'absent' : 'present' }),
  examples: [
    { operand: true, value: null, holds: true },
    { operand: true, holds: false },
    { operand: false, value: 'a', holds: false },
    { operand: false, holds: true },
  ],
}
