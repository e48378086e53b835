/** Splits texts into characters as people see them, and measures their width on a terminal. */

import { eastAsianWidth } from 'get-east-asian-width'

/**
 * The flag that lets a class of a pattern match emojis of several code points. A literal cannot have it: the compiler's target is too old.
 */
const unicodeSetsFlag = 'v'

/**
 * Loads the tables that find the borders of characters, and emojis. Loading takes a third of the time to the first frame, so it waits for
 * the first text that is not narrow.
 */
const loadTables = () => ({ segmenter: new Intl.Segmenter(), emoji: new RegExp('^\\p{RGI_Emoji}$', unicodeSetsFlag) })
let loaded: ReturnType<typeof loadTables> | undefined

const tables = (): ReturnType<typeof loadTables> => {
  loaded ??= loadTables()
  return loaded
}

/** Returns the characters of a text as people see them: a letter with its accents is one segment, and so is an emoji. */
export const charactersOf = (text: string): Intl.Segments => tables().segmenter.segment(text)

/** Texts of ASCII, and of the signs that the editor itself draws: each of their characters is one cell wide. */
const narrow = /^[\x20-\x7e─│…→·]*$/

/** Whether each code unit of a text is known to be one cell wide, so that the width is the length. `false` says nothing about the width. */
export const isNarrow = (text: string): boolean => narrow.test(text)

/** Returns the width of a text in cells of the terminal. */
export const widthOf = (text: string): number =>
  isNarrow(text)
    ? text.length
    : Array.from(charactersOf(text), ({ segment }) => cellsOfCharacter(segment)).reduce((sum, cells) => sum + cells, 0)

const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\p{Cs}]+/u
/** Half-width and full-width forms. Such a form has cells of its own even where it is part of the character before it. */
const halfOrFull = /[\uff00-\uffef]/g

const cellsOfCharacter = (character: string): number => {
  const visible = character.replace(invisible, '')
  if (visible === '') return 0
  if (tables().emoji.test(character)) return 2
  const behind = visible.slice(1).match(halfOrFull) ?? []
  return [visible, ...behind].reduce((sum, each) => sum + eastAsianWidth(each.codePointAt(0) ?? 0), 0)
}
