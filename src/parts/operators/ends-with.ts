/**
 * The operator `ends_with` holds when the text of the field of a condition ends with the operand. A number or boolean counts as its text
 * (rules: Filters 15).
 */

import { scalarText } from '../../expr/render.ts'
import type { BuiltinOperator } from './operator.ts'

export const endsWith: BuiltinOperator = {
  name: 'ends_with',
  schema: {
    type: ['string', 'number', 'boolean'],
    minLength: 1,
    description: 'The text ends with this text.',
    markdownDescription:
      'The text ends with this text, in the same letter case. Numbers and booleans are compared by their text.\n\nExample: `ends_with: "[bot]"`',
    'x-fits': ['string', 'number'],
  },
  compile(wanted) {
    const end = scalarText(wanted)
    return (value) => end !== undefined && scalarText(value)?.endsWith(end) === true
  },
  domain: (wanted) => ({ kind: 'ends', text: String(wanted) }),
  examples: [
    { operand: '[bot]', value: 'renovate[bot]', holds: true },
    { operand: '[bot]', value: '[bot] says', holds: false },
    { operand: '.md', value: 'README.MD', holds: false },
    { operand: 4, value: 404, holds: true },
    { operand: 'ue', value: true, holds: true },
    { operand: 'a', value: ['a'], holds: false },
    { operand: 'null', value: null, holds: false },
    { operand: 'a', holds: false },
  ],
}
