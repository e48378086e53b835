/** Writes values of events for people: each on one line, bounded, and safe on a terminal. */

import { printable } from '../../core/text.ts'

const shortestId = 8

/** Returns a function that shortens an id. All ids are cut to one length, at which no two of `ids` are the same. */
export const shortIds = (ids: readonly string[]): ((id: string) => string) => {
  let length = shortestId
  const all = new Set(ids)
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length++
  return (id) => printable(id, length)
}

/** Returns one cell of a table: a single line that is never empty, cut at `limit` characters. */
export const tableCell = (value: string | number | undefined, limit = 64): string => printableStart(String(value ?? ''), limit) || '-'

/** Returns the beginning of a text as one line. An ellipsis shows that the text goes on. */
export const printableStart = (text: string, limit: number): string => `${printable(text, limit)}${text.length > limit ? ' …' : ''}`

/** Returns a time in ISO 8601 without the fractions of its second. */
export const shownTime = (iso: string): string => printable(iso.replace(/\.\d+Z$/, 'Z'), 32)
