/** The operator `missing` holds when the field of a condition is missing (rules: Filters 4). */

import type { ExactOperator } from './operator.ts'

export const missing: ExactOperator = {
  name: 'missing',
  compile: () => (value) => value === undefined,
  domain: () => ({ kind: 'absent' }),
  examples: [
    { operand: true, holds: true },
    { operand: true, value: null, holds: false },
    { operand: true, value: '', holds: false },
  ],
}
