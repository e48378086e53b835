/** Characters as people see them, and how wide a terminal shows them. */

import { eastAsianWidth } from 'get-east-asian-width'

/** Sets of texts. The compiler knows no literal with this flag yet. */
const sets = 'v'

/** The tables of the language. They take a third of the time to the first frame, in which no text of others is yet. */
const load = () => ({ segmenter: new Intl.Segmenter(), picture: new RegExp('^\\p{RGI_Emoji}$', sets) })
let loaded: ReturnType<typeof load> | undefined

const tables = (): ReturnType<typeof load> => {
  loaded ??= load()
  return loaded
}

export const charactersOf = (text: string): Intl.Segments => tables().segmenter.segment(text)

/** ASCII, and the signs of frames. */
const narrow = /^[\x20-\x7e─│…→·]*$/

export const isNarrow = (text: string): boolean => narrow.test(text)

/** In cells of the terminal. */
export const widthOf = (text: string): number =>
  isNarrow(text) ? text.length : Array.from(charactersOf(text), ({ segment }) => cellsOf(segment)).reduce((sum, cells) => sum + cells, 0)

const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\p{Cs}]+/u
/** These are cells of their own, also behind the letter that they belong to. */
const halfOrFull = /[\uff00-\uffef]/g

const cellsOf = (character: string): number => {
  const seen = character.replace(invisible, '')
  if (seen === '') return 0
  if (tables().picture.test(character)) return 2
  const behind = seen.slice(1).match(halfOrFull) ?? []
  return [seen, ...behind].reduce((sum, each) => sum + eastAsianWidth(each.codePointAt(0) ?? 0), 0)
}
