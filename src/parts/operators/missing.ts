/** The operator `missing` holds when the field of a condition is missing (rules: Filters 4). */

import type { BuiltinOperator } from './operator.ts'

export const missing: BuiltinOperator = {
  name: 'missing',
  schema: {
    const: true,
    type: 'boolean',
    examples: [true],
    description: 'The field is not there.',
    markdownDescription: 'The field is not there. Only `true` has a meaning.',
    'x-fits': ['string', 'number', 'boolean', 'null', 'array', 'object'],
  },
  compile: () => (value) => value === undefined,
  domain: () => ({ kind: 'absent' }),
  examples: [
    { operand: true, holds: true },
    { operand: true, value: null, holds: false },
    { operand: true, value: '', holds: false },
  ],
}
