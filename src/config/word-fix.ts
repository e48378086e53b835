/** Makes the fix of a mistyped word: the known word in its place. */

import type { Fix, SourceRange } from '../core/diagnostic.ts'

/** A mistyped word, and the only known word that its author can have meant. */
export type MistypedWord = { readonly written: string; readonly meant: string }

/**
 * Returns the mistyped word where exactly one known word is `near`. `undefined`: none or several are near, or `map`, around a mistyped key,
 * has the known word as a key already.
 */
export const mistypedWord = (written: string, near: readonly string[], map: object = {}): MistypedWord | undefined => {
  const [meant, ...others] = near
  return meant === undefined || others.length > 0 || Object.hasOwn(map, meant) ? undefined : { written, meant }
}

/** A word that YAML reads as a text even without quotes. */
const plainWord = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z_][\w.-]*$/i

/**
 * Returns the fix that writes the meant word at `place`. `undefined` where the text at `place` has not the length of the mistyped word,
 * without or with quotes, or where the meant word would need quotes.
 */
export const wordFix = (place: SourceRange, { written, meant }: MistypedWord): Fix | undefined => {
  const width = place.line === place.endLine ? place.endColumn - place.column : 0
  const quote = width === written.length ? 0 : 1
  if (width !== written.length + 2 * quote || !plainWord.test(meant)) return undefined
  const inner = { ...place, column: place.column + quote, endColumn: place.endColumn - quote }
  return { title: `write "${meant}" instead of "${written}"`, safe: true, edits: [{ place: inner, text: meant }] }
}
