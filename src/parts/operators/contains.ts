/** Whether a text holds a text, a list an item, a map a key; numbers and booleans count as their text (contract 3). */

import { equalJson, own } from '../../core/json.ts'
import { scalarText } from '../../expr/render.ts'
import type { OperatorPart } from './operator.ts'

export const contains: OperatorPart = {
  name: 'contains',
  compile(wanted) {
    const text = scalarText(wanted)
    return (value) => {
      if (Array.isArray(value)) return value.some((item) => equalJson(wanted, item))
      if (text === undefined) return false
      if (typeof value === 'object' && value !== null) return own(value, text) !== undefined
      return scalarText(value)?.includes(text) === true
    }
  },
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
