/**
 * The operator `contains` looks for its operand in the field of a condition: in a text as a part, in a list as an item, in a map as a key.
 * Except in lists, numbers and booleans count as their text (rules: Filters 6).
 */

import { isObject, own } from '../../core/json.ts'
import { compileEqual } from '../../expr/equal.ts'
import { scalarText } from '../../expr/render.ts'
import { finder } from '../../expr/search.ts'
import type { BuiltinOperator } from './operator.ts'

export const contains: BuiltinOperator = {
  name: 'contains',
  schema: {
    type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
    description: 'A text holds this text, a list this item, a map this key.',
    markdownDescription: 'A text holds this text, a list this item, a map this key. Numbers and booleans are compared by their text.',
    'x-fits': ['string', 'array', 'object'],
  },
  compile(wanted) {
    const text = scalarText(wanted)
    const find = finder(text ?? '')
    const equal = compileEqual(wanted)
    return (value) => {
      if (Array.isArray(value)) return value.some(equal)
      if (text === undefined) return false
      if (isObject(value)) return own(value, text) !== undefined
      const subject = scalarText(value)
      return subject !== undefined && find(subject) >= 0
    }
  },
  domain: (value) => ({ kind: 'part', value }),
  examples: [
    { operand: 'fix', value: 'a fix for b', holds: true },
    { operand: 'fix', value: 'a feature', holds: false },
    { operand: 'bug', value: ['docs', 'bug'], holds: true },
    { operand: 'bug', value: ['bugs'], holds: false },
    { operand: { id: 1 }, value: [{ id: 1 }], holds: true },
    { operand: 'head', value: { head: null }, holds: true },
    { operand: 'constructor', value: {}, holds: false },
    { operand: 42, value: 14253, holds: true },
    { operand: 'ru', value: true, holds: true },
    { operand: null, value: 'null', holds: false },
    { operand: 'a', value: null, holds: false },
    { operand: 'a', holds: false },
  ],
}
