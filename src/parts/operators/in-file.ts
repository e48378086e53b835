/**
 * The operator `in_file` holds when the field of a condition is one of the values in a file below the folder of the profile. The file is
 * read again after it has changed (rules: Filters 7).
 */

import { messageOf } from '../../core/fault.ts'
import { openListFile } from '../../expr/list-file.ts'
import { scalarText } from '../../expr/render.ts'
import type { OperatorPart } from './operator.ts'

export const inFile: OperatorPart = {
  name: 'in_file',
  compile(path, { profileDir, report, recompileAtReload }) {
    recompileAtReload()
    const file = openListFile(profileDir, String(path), (error) =>
      report('WH407', [], `the list cannot be read: ${messageOf(error)}`, 'until it can, the condition does not hold'),
    )
    return (value) => {
      const text = scalarText(value)
      if (text === undefined) return false
      const values = file.values()
      return values instanceof Promise ? values.then((settled) => settled.has(text)) : values.has(text)
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
