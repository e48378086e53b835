/** Splits texts into characters as people see them, and measures their width on a terminal. */

import { eastAsianWidth } from 'get-east-asian-width'

/** The flag for sets of texts. The flag is a constant, because the compiler does not know literals with it yet. */
const sets = 'v'

/** Loads the tables of the language. Loading takes a third of the time to the first frame, and the first frame does not need them. */
const load = () => ({ segmenter: new Intl.Segmenter(), emoji: new RegExp('^\\p{RGI_Emoji}$', sets) })
let loaded: ReturnType<typeof load> | undefined

const tables = (): ReturnType<typeof load> => {
  loaded ??= load()
  return loaded
}

export const charactersOf = (text: string): Intl.Segments => tables().segmenter.segment(text)

/** ASCII, and the signs that frames are drawn with. */
const narrow = /^[\x20-\x7e─│…→·]*$/

export const isNarrow = (text: string): boolean => narrow.test(text)

/** Returns the width of a text in cells of the terminal. */
export const widthOf = (text: string): number =>
  isNarrow(text) ? text.length : Array.from(charactersOf(text), ({ segment }) => cellsOf(segment)).reduce((sum, cells) => sum + cells, 0)

const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\p{Cs}]+/u
/** Half-width and full-width forms. They have cells of their own even behind the letter that they belong to. */
const halfOrFull = /[\uff00-\uffef]/g

const cellsOf = (character: string): number => {
  const visible = character.replace(invisible, '')
  if (visible === '') return 0
  if (tables().emoji.test(character)) return 2
  const behind = visible.slice(1).match(halfOrFull) ?? []
  return [visible, ...behind].reduce((sum, each) => sum + eastAsianWidth(each.codePointAt(0) ?? 0), 0)
}
