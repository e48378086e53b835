/** Writes a prompt or a reply for people: its first forty lines, each behind a bar, safe on a terminal. */

import { printable } from '../../core/text.ts'

const maxLines = 40

/** Returns the lines, and a last line that says how many lines are left out. */
export const quotedLines = (text: string): readonly string[] => {
  const lines = text.split('\n')
  const shown = lines.slice(0, maxLines).map((line) => `  | ${printable(line)}`)
  return lines.length > maxLines ? [...shown, `  | … ${lines.length - maxLines} more lines: --json has all`] : shown
}
