/** What people see of an event in a terminal: bounded, and safe on it. */

import { printable } from '../../core/text.ts'

const shortestId = 8

/** The beginnings of ids that tell these events apart. */
export const shortIds = (ids: readonly string[]): ((id: string) => string) => {
  let length = shortestId
  const all = new Set(ids)
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length++
  return (id) => printable(id, length)
}

/** One cell of a table: a line, never empty. */
export const cell = (value: string | number | undefined, limit = 64): string => excerpt(String(value ?? ''), limit) || '-'

/** The beginning of a text as one line; that it goes on is shown. */
export const excerpt = (text: string, limit: number): string => `${printable(text, limit)}${text.length > limit ? ' …' : ''}`

/** A time to the second. */
export const shownTime = (iso: string): string => printable(iso.replace(/\.\d+Z$/, 'Z'), 32)
