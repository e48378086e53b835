/** A text that is being written, with its cursor as an inverse character, moved so that the cursor is seen. */

import { widthOf } from '../model/characters.ts'
import { placeOf, type TextField } from '../model/text-field.ts'
import { type Line, line, type Span, span } from './line.ts'

/** One line. `stars`: the text is a secret. */
export const fieldView = ({ text, cursor }: TextField, width: number, stars = false): Line => {
  const shown = stars ? '*'.repeat(text.length) : text
  return cursorLine(shown, cursor, width)
}

/** Several lines, those around the cursor. `mark` may give parts of a line a tone of their own. */
export const linesView = (
  field: TextField,
  { width, height }: { readonly width: number; readonly height: number },
  mark: (text: string) => readonly Span[] = plain,
): readonly Line[] => {
  const { line: row, column } = placeOf(field)
  const lines = field.text.split('\n')
  const start = Math.max(0, Math.min(row - Math.floor(height / 2), lines.length - height))
  return lines.slice(start, start + height).map((text, i) => (start + i === row ? cursorLine(text, column, width) : mark(text)))
}

const plain = (text: string): readonly Span[] => [span(text)]

const cursorLine = (text: string, at: number, width: number): Line => {
  const room = Math.max(4, width - 1)
  // The part before the cursor is shown from its end.
  let head = text.slice(0, at)
  while (widthOf(head) > room - 1) head = head.slice(Math.max(1, Math.ceil((widthOf(head) - room) / 2)))
  const [under = ' '] = [...text.slice(at)]
  return line(span(head), span(under === '\n' ? ' ' : under, 'plain', { inverse: true }), span(text.slice(at + under.length)))
}
