/** Whether the field is a value in a file of the profile. The file is read as it is now (rules: Filters 7). */

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
  // For a file with the one line "ann". Other contents of files have tests of their own.
  examples: [
    { operand: 'allowed.txt', value: 'ann', holds: true },
    { operand: 'allowed.txt', value: 'bob', holds: false },
    { operand: 'allowed.txt', holds: false },
  ],
}
