/**
 * Reads the path and the query of an address. Signatures, handshakes, conditions, expressions and masks all read a query by this file, so
 * that none of them sees another query than the rest (rules: Filters 11).
 */

import type { Json } from '../json.ts'

/** The most parts of a query that are read. No sender's address has as many. */
export const maxQueryParts = 64

export const pathAndQueryOf = (address: string): string => (address.startsWith('/') ? address : address.replace(/^[a-z]+:\/\/[^/?#]*/i, ''))

export const pathOf = (pathAndQuery: string): string => /^[^?#]*/.exec(pathAndQuery)?.[0] ?? ''

/** Returns the query of an address as it came, with its question mark: its first 64 parts. Empty where the address has none. */
export const queryText = (address: string): string => /^[^?#]*(\?[^#]*)/.exec(address)?.[1]?.split('&', maxQueryParts).join('&') ?? ''

/**
 * Returns the decoded query of an address, which is read as a form is: `+` is a blank, and a malformed escape stays as it came. The address
 * is not parsed as a URL, because an address from the network may be malformed.
 */
export const queryOf = (address: string): URLSearchParams => new URLSearchParams(queryText(address))

/** Returns named values as a map. A repeated name has the list of its values. */
export const mapOfNamed = (named: Iterable<readonly [name: string, value: string]>): { [name: string]: Json } => {
  const values = new Map<string, string[]>()
  for (const [name, value] of named) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]): [string, Json] => [name, all.length === 1 ? (all[0] as string) : all]))
}
