/** A text that is being written, with the place of its cursor. The text has one line, or several. */

import { cut as firstUnits } from '../../core/text.ts'
import { charactersOf } from './characters.ts'

export type TextField = {
  readonly text: string
  /** The offset of the cursor in code units. Only a move to another line may put it inside of what people see as one character. */
  readonly cursor: number
}

/** The most code units of a text in a field. Longer texts are written in `$EDITOR`. */
export const maxFieldLength = 100_000

export const textField = (text = ''): TextField => ({ text, cursor: text.length })

/** Texts in which each code unit is a character. To find the characters of any other text, tables are loaded, which takes a while. */
const plainText = /^[\x20-\x7e\n\t]*$/

const startOfPrevious = ({ text, cursor }: TextField): number => {
  if (plainText.test(text.slice(Math.max(0, cursor - 2), cursor))) return Math.max(0, cursor - 1)
  const start = Math.max(0, cursor - 64)
  return start + ([...charactersOf(text.slice(start, cursor))].at(-1)?.index ?? 0)
}

/** Returns the offset at which the character behind the cursor ends. */
const endOfNext = ({ text, cursor }: TextField): number => {
  if (plainText.test(text.slice(cursor, cursor + 2))) return Math.min(text.length, cursor + 1)
  const [first] = charactersOf(text.slice(cursor, cursor + 64))
  return cursor + (first?.segment.length ?? 0)
}

/** Inserts a text at the cursor. Without `lines`, line ends and tabs become blanks. All other control characters are left out. */
export const typeInto = ({ text, cursor }: TextField, typed: string, lines = false): TextField => {
  const clean = typed.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
  const room = Math.max(0, maxFieldLength - text.length)
  const added = (lines ? clean : clean.replace(/[\n\t]+/g, ' ')).slice(0, room)
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
}

/** The keys that edit the text, even if they are actions of the screen. */
export const editingKeys: ReadonlySet<string> = new Set(['^a', '^e', '^k', '^u', '^w'])

/** Edits the text by a key that types nothing. Returns the same field if the key does nothing. */
export const editField = (field: TextField, key: string): TextField => {
  const { text, cursor } = field
  const cut = (from: number, to: number): TextField => ({ text: text.slice(0, from) + text.slice(to), cursor: from })
  const to = (place: number): TextField => (place === cursor ? field : { text, cursor: place })
  const lineStart = cursor - cursorPlace(field).column
  const nextEnd = text.indexOf('\n', cursor)
  const lineEnd = nextEnd < 0 ? text.length : nextEnd
  switch (key) {
    case 'left':
      return to(startOfPrevious(field))
    case 'right':
      return to(endOfNext(field))
    case 'home':
    case '^a':
      return to(lineStart)
    case 'end':
    case '^e':
      return to(lineEnd)
    case 'up':
      return to(offsetInOtherLine(field, -1))
    case 'down':
      return to(offsetInOtherLine(field, 1))
    case 'backspace':
      return cursor === 0 ? field : cut(startOfPrevious(field), cursor)
    case 'delete':
      return cursor === text.length ? field : cut(cursor, endOfNext(field))
    case '^u':
      return lineStart === cursor ? field : cut(lineStart, cursor)
    case '^k':
      return lineEnd === cursor ? field : cut(cursor, lineEnd)
    case '^w':
      return cut(text.slice(0, cursor).search(/\S*\s*$/), cursor)
    default:
      return field
  }
}

/** Returns the offset of the same column in the line above (-1) or below (1). Without such a line, returns the start or end of the text. */
const offsetInOtherLine = ({ text, cursor }: TextField, by: 1 | -1): number => {
  const lines = text.split('\n')
  const { line, column } = cursorPlace({ text, cursor })
  const target = lines[line + by]
  if (target === undefined) return by < 0 ? 0 : text.length
  const start = lines.slice(0, line + by).reduce((sum, { length }) => sum + length + 1, 0)
  return start + firstUnits(target, column).length
}

/** Returns the line and column of the cursor, from 0. */
export const cursorPlace = ({ text, cursor }: TextField): { readonly line: number; readonly column: number } => {
  const head = text.slice(0, cursor)
  const start = head.lastIndexOf('\n') + 1
  return { line: head.split('\n').length - 1, column: cursor - start }
}
