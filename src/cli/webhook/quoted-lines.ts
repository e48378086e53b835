/** A text of a route as people see it: each line behind a bar, the first forty of them. */

import { printable } from '../../core/text.ts'

const maxLines = 40

export const quotedLines = (text: string): readonly string[] => {
  const lines = text.split('\n')
  const shown = lines.slice(0, maxLines).map((line) => `  | ${printable(line)}`)
  return lines.length > maxLines ? [...shown, `  | … ${lines.length - maxLines} more lines: --json has all`] : shown
}
