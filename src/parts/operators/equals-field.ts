/**
 * The operator `equals_field` holds when the field of a condition deeply equals another field of the event. Where either is missing, it does
 * not hold (rules: Filters 16).
 */

import { areEqual } from '../../expr/equal.ts'
import { compileField } from '../../expr/path.ts'
import type { BuiltinOperator } from './operator.ts'

export const equalsField: BuiltinOperator = {
  name: 'equals_field',
  namesField: true,
  schema: {
    type: 'string',
    'x-path': 'field',
    minLength: 1,
    maxLength: 1024,
    description: 'The field equals this other field of the event, deeply; neither may be missing.',
    markdownDescription:
      'The field equals this other field of the event, deeply. Where either is missing, it does not hold. Also inside `any_item` and `every_item` the path begins at the top of the payload.\n\nExample: `{ field: pull_request.user.login, equals_field: sender.login }`',
    'x-fits': ['string', 'number', 'boolean', 'null', 'array', 'object'],
  },
  compile(path) {
    const other = compileField(String(path))
    return (value, event) => {
      if (value === undefined) return false
      const wanted = other(event)
      return wanted !== undefined && areEqual(value, wanted)
    }
  },
  domain: () => ({ kind: 'elsewhere' }),
  examples: [
    { operand: 'request.method', value: 'POST', holds: true },
    { operand: 'request.method', value: 'post', holds: false },
    { operand: 'request.method', value: ['POST'], holds: false },
    { operand: 'no.such.field', value: null, holds: false },
    { operand: 'no.such.field', holds: false },
    { operand: 'request.method', holds: false },
  ],
}
