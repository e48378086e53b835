/** Shows a text that is being written (`TextField`). The cursor is an inverse character, and the text is scrolled to show the cursor. */

import type { ReactNode } from 'react'
import { widthOf } from '../model/characters.ts'
import type { Room } from '../model/room.ts'
import { cursorPlace, type TextField } from '../model/text-field.ts'
import { Row } from './row.tsx'
import { Span } from './span.tsx'

type FieldProps = { readonly field: TextField; readonly width: number; readonly isSecret?: boolean }

export const Field = ({ field: { text, cursor }, width, isSecret = false }: FieldProps) => (
  <CursorLine text={isSecret ? '*'.repeat(text.length) : text} at={cursor} width={width} />
)

type FieldRowsProps = {
  readonly field: TextField
  readonly room: Room
  /** Shows a line of the text, with tones of their own for parts of the line. The line of the cursor is shown plain. */
  readonly lineView?: (text: string) => ReactNode
}

/** Shows a field of several lines, as rows: as many lines as the room has, around the line of the cursor. */
export const FieldRows = ({ field, room: { width, height }, lineView: marked = plainSpan }: FieldRowsProps) => {
  const { line: row, column } = cursorPlace(field)
  const lines = field.text.split('\n')
  const start = Math.max(0, Math.min(row - Math.floor(height / 2), lines.length - height))
  const shown = lines.slice(start, start + height).map((text, i) => ({ text, at: start + i }))
  return shown.map(({ text, at }) => (
    <Row key={at}>{at === row ? <CursorLine text={text} at={column} width={width} /> : text === '' ? ' ' : marked(text)}</Row>
  ))
}

const plainSpan = (text: string): ReactNode => <Span>{text}</Span>

/** Shows the line of the cursor. Of a part before the cursor that is too long, only the end is shown. `at`: the offset of the cursor. */
const CursorLine = ({ text, at, width }: { readonly text: string; readonly at: number; readonly width: number }) => {
  const room = Math.max(4, width - 1)
  let head = text.slice(0, at)
  while (widthOf(head) > room - 1) head = head.slice(Math.max(1, Math.ceil((widthOf(head) - room) / 2)))
  const [under = ' '] = [...text.slice(at)]
  return (
    <>
      <Span>{head}</Span>
      <Span inverse>{under === '\n' ? ' ' : under}</Span>
      <Span>{text.slice(at + under.length)}</Span>
    </>
  )
}
