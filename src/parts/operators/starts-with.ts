/**
 * The operator `starts_with` holds when the text of the field of a condition begins with the operand. A number or boolean counts as its text
 * (rules: Filters 15).
 */

import { scalarText } from '../../expr/render.ts'
import type { BuiltinOperator } from './operator.ts'

export const startsWith: BuiltinOperator = {
  name: 'starts_with',
  schema: {
    type: ['string', 'number', 'boolean'],
    minLength: 1,
    description: 'The text begins with this text.',
    markdownDescription:
      'The text begins with this text, in the same letter case. Numbers and booleans are compared by their text.\n\nExample: `starts_with: refs/heads/release/`',
    'x-fits': ['string', 'number'],
  },
  compile(wanted) {
    const start = scalarText(wanted)
    return (value) => start !== undefined && scalarText(value)?.startsWith(start) === true
  },
  domain: (wanted) => ({ kind: 'starts', text: String(wanted) }),
  examples: [
    { operand: 'refs/heads/', value: 'refs/heads/main', holds: true },
    { operand: 'refs/heads/', value: 'refs/head', holds: false },
    { operand: 'Fix', value: 'fix: a', holds: false },
    { operand: '^fix', value: 'fix', holds: false },
    { operand: 40, value: 404, holds: true },
    { operand: '4', value: 404, holds: true },
    { operand: 'tr', value: true, holds: true },
    { operand: 'a', value: ['a'], holds: false },
    { operand: 'null', value: null, holds: false },
    { operand: 'a', holds: false },
  ],
}
