/** The fix of a mistyped word. */

import type { Fix, Place } from '../core/diagnostic.ts'

/** What is written somewhere, and the one word that it must have been meant to be. */
export type Slip = { readonly written: string; readonly meant: string }

/** Where one known word alone is near, it was meant, unless its place in the map is taken. */
export const slipOf = (written: string, near: readonly string[], map: object = {}): Slip | undefined => {
  const [meant, ...others] = near
  return meant === undefined || others.length > 0 || Object.hasOwn(map, meant) ? undefined : { written, meant }
}

/** A word that YAML reads as a text without quotes. */
const plain = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z_][\w.-]*$/i

/** Puts the word that is meant in the place of the other; `undefined` where that does not stand as it is, with quotes or without. */
export const wordFix = (place: Place, { written, meant }: Slip): Fix | undefined => {
  const width = place.line === place.endLine ? place.endColumn - place.column : 0
  const quote = width === written.length ? 0 : 1
  if (width !== written.length + 2 * quote || !plain.test(meant)) return undefined
  const inner = { ...place, column: place.column + quote, endColumn: place.endColumn - quote }
  return { title: `write "${meant}" instead of "${written}"`, safe: true, edits: [{ place: inner, text: meant }] }
}
