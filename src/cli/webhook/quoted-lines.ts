/** Writes a text of a route for people: its first forty lines, each behind a bar. */

import { printable } from '../../core/text.ts'

const maxLines = 40

export const quotedLines = (text: string): readonly string[] => {
  const lines = text.split('\n')
  const shown = lines.slice(0, maxLines).map((line) => `  | ${printable(line)}`)
  return lines.length > maxLines ? [...shown, `  | … ${lines.length - maxLines} more lines: --json has all`] : shown
}
