/** A text that is being written: the characters and the place of the cursor. One line, or several. */

import { charactersOf } from './characters.ts'

export type TextField = {
  readonly text: string
  /** The offset of the cursor, at the border of a character as people see them. */
  readonly cursor: number
}

/** Longer texts are written in `$EDITOR`. */
export const maxFieldLength = 100_000

export const textField = (text = ''): TextField => ({ text, cursor: text.length })

/** Between two of these there is always a border; the tables that know others take a while to load. */
const plainText = /^[\x20-\x7e\n\t]*$/

/** The borders of the characters around an offset. */
const before = ({ text, cursor }: TextField): number => {
  if (plainText.test(text.slice(Math.max(0, cursor - 2), cursor))) return Math.max(0, cursor - 1)
  const start = Math.max(0, cursor - 64)
  return start + ([...charactersOf(text.slice(start, cursor))].at(-1)?.index ?? 0)
}

const after = ({ text, cursor }: TextField): number => {
  if (plainText.test(text.slice(cursor, cursor + 2))) return Math.min(text.length, cursor + 1)
  const [first] = charactersOf(text.slice(cursor, cursor + 64))
  return cursor + (first?.segment.length ?? 0)
}

/** Puts a text in at the cursor. Without `lines` line ends become blanks; other control characters are left out. */
export const typeInto = ({ text, cursor }: TextField, typed: string, lines = false): TextField => {
  const clean = typed.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
  const room = Math.max(0, maxFieldLength - text.length)
  const added = (lines ? clean : clean.replace(/[\n\t]+/g, ' ')).slice(0, room)
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
}

/** Keys that edit the text that is being written, whatever else they mean on the screen. */
export const editingKeys: ReadonlySet<string> = new Set(['^a', '^e', '^k', '^u', '^w'])

/** What a key that types nothing does to the text; the same field where it does nothing. */
export const editField = (field: TextField, key: string): TextField => {
  const { text, cursor } = field
  const cut = (from: number, to: number): TextField => ({ text: text.slice(0, from) + text.slice(to), cursor: from })
  const to = (place: number): TextField => (place === cursor ? field : { text, cursor: place })
  const lineStart = cursor - placeOf(field).column
  const nextEnd = text.indexOf('\n', cursor)
  const lineEnd = nextEnd < 0 ? text.length : nextEnd
  switch (key) {
    case 'left':
      return to(before(field))
    case 'right':
      return to(after(field))
    case 'home':
    case '^a':
      return to(lineStart)
    case 'end':
    case '^e':
      return to(lineEnd)
    case 'up':
      return to(vertical(field, -1))
    case 'down':
      return to(vertical(field, 1))
    case 'backspace':
      return cursor === 0 ? field : cut(before(field), cursor)
    case 'delete':
      return cursor === text.length ? field : cut(cursor, after(field))
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

/** The same column of the line above or below; the start or end of the text where there is none. */
const vertical = ({ text, cursor }: TextField, by: 1 | -1): number => {
  const lines = text.split('\n')
  const { line, column } = placeOf({ text, cursor })
  const target = lines[line + by]
  if (target === undefined) return by < 0 ? 0 : text.length
  const start = lines.slice(0, line + by).reduce((sum, { length }) => sum + length + 1, 0)
  return start + Math.min(column, target.length)
}

/** Where the cursor stands, 0-based. */
export const placeOf = ({ text, cursor }: TextField): { readonly line: number; readonly column: number } => {
  const head = text.slice(0, cursor)
  const start = head.lastIndexOf('\n') + 1
  return { line: head.split('\n').length - 1, column: cursor - start }
}
