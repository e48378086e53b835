/** Compiles globs for branches and paths (rules: Filters 16). Their time is linear in the length of the text. */

import { BadPattern, compileRegex, type Regex } from './regex.ts'
import { compileStars } from './star-glob.ts'

/** The pieces of a glob: stars and `?`, a set in brackets (a bracket that stands first belongs to the set), a sign behind a backslash, any other sign. */
const pieces = /\*\*\/?|[*?]|\[([!^]?)(\]?[^\]/\\]+|\])\]|\\([\s\S])|[\s\S]/gu

const wildcards: { readonly [piece: string]: string } = { '*': '[^/]*', '**': '.*', '**/': '.*/', '?': '[^/]' }
/** `**` between two slashes, or in front of the first, is also no part at all. */
const anyParts = '(?:.*/)?'

const groupSigns: { readonly [piece: string]: string } = { '{': '(?:', ',': '|', '}': ')' }

/** The pieces that are mistakes, with what is wrong. */
const mistakes: { readonly [piece: string]: string } = {
  '[': 'has a [ without its ], or a slash or nothing between them',
  '\\': 'ends with a backslash',
}

const escaped = (sign: string): string => sign.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')
const setOf = (not: string, signs: string): string => `[${not === '' ? '' : '^/'}${signs.replace(/[\\^[\]&~]/g, '\\$&')}]`

/** Compiles a glob to the test of a whole text. Throws BadPattern, with WH401. */
export const compileGlob = (glob: string): Regex => {
  const engine = (): Regex => compileRegex(`(?s)^(?:${regexOfGlob(glob)})$`)
  return compileStars(glob, engine) ?? engine()
}

/** Returns the regular expression for a whole text that a glob matches. It has no anchors, and wants the flag `s`. */
const regexOfGlob = (glob: string): string => {
  if (glob.startsWith('!')) throw badGlob('begins with !, which does not turn it round: put the condition under not, or write \\!')
  let depth = 0
  const ofBraces = (piece: string): string | undefined => {
    if (piece === '{') depth++
    else if (depth === 0) return undefined
    else if (piece === '}') depth--
    return groupSigns[piece]
  }
  const regex = glob.replace(pieces, (piece, not: string | undefined, set: string | undefined, plain: string | undefined, at: number) => {
    if (set !== undefined) return setOf(not ?? '', set)
    if (plain !== undefined) return escaped(plain)
    const mistake = mistakes[piece]
    if (mistake !== undefined) throw badGlob(mistake)
    if (piece === '**/' && (at === 0 || glob[at - 1] === '/')) return anyParts
    return wildcards[piece] ?? ofBraces(piece) ?? escaped(piece)
  })
  if (depth > 0) throw badGlob('has a { without its }')
  return regex
}

const badGlob = (why: string): BadPattern => new BadPattern('WH401', `the pattern ${why}`)
