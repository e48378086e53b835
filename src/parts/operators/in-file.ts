/** Whether the field is one of the values of a file of the profile, as the file is now (rules: Filters 7). */

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
  // Of a file with the one line "ann"; what a file may hold has tests of its own.
  examples: [
    { operand: 'allowed.txt', value: 'ann', holds: true },
    { operand: 'allowed.txt', value: 'bob', holds: false },
    { operand: 'allowed.txt', holds: false },
  ],
}
