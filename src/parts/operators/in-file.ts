/**
 * The operator `in_file` holds when the field of a condition is one of the values in a file below the folder of the profile. The file is
 * read again after it has changed (rules: Filters 7).
 */

import { numberKey } from '../../core/exact-number.ts'
import { messageOf } from '../../core/fault.ts'
import { isNumber } from '../../expr/equal.ts'
import { type ListedValues, openListFile } from '../../expr/list-file.ts'
import { scalarText } from '../../expr/render.ts'
import type { BuiltinOperator } from './operator.ts'

export const inFile: BuiltinOperator = {
  name: 'in_file',
  schema: {
    type: 'string',
    minLength: 1,
    description: 'A file under the profile directory: JSON array, JSON object (its keys), or one value a line.',
    markdownDescription:
      'A file under the profile directory: a JSON array, a JSON object (its keys count), or text with one value a line. Read again when it changes.',
    'x-fits': ['string', 'number'],
  },
  compile(path, { profileDir, report, recompileAtReload }) {
    recompileAtReload()
    const file = openListFile(profileDir, String(path), (error) =>
      report('WH407', [], `the list cannot be read: ${messageOf(error)}`, 'until it can, the condition does not hold'),
    )
    return (value) => {
      const text = isNumber(value) ? numberKey(value) : scalarText(value)
      if (text === undefined) return false
      const isIn = ({ numbers, texts }: ListedValues): boolean => (isNumber(value) ? numbers : texts).has(text)
      const values = file.values()
      return values instanceof Promise ? values.then(isIn) : isIn(values)
    }
  },
  domain: () => ({ kind: 'elsewhere' }),
  // The tests run these examples with a file that has the one line "ann".
  examples: [
    { operand: 'allowed.txt', value: 'ann', holds: true },
    { operand: 'allowed.txt', value: 'bob', holds: false },
    { operand: 'allowed.txt', holds: false },
  ],
}
