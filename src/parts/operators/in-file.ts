/** Whether the field is one of the values of a file of the profile, as the file is now (rules: Filters 7). */

import { messageOf } from '../../core/fault.ts'
import { openListFile } from '../../expr/list-file.ts'
import { scalarText } from '../../expr/render.ts'
import type { OperatorPart } from './operator.ts'

export const inFile: OperatorPart = {
  name: 'in_file',
  compile(path, { profileDir, report, looksOutside }) {
    looksOutside()
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
  // An example cannot have a file. These show that a missing field is in none.
  examples: [{ operand: 'allowed.txt', holds: false }],
}
