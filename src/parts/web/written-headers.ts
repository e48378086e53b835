/** Checks the headers that an operator writes for a request. A problem never quotes the value of a header, because it may be a key. */

import { isObject, type Json } from '../../core/json.ts'

const maxHeaders = 50
const maxHeaderChars = 8192

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const reservedHeader = /^(?:host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*|webhook-.*)$/i

export type HeaderLines = { readonly [name: string]: string }

/** Returns the headers with their names in lower case, or says what is wrong with them. */
export const writtenHeaders = (given: Json = {}): { readonly headers: HeaderLines } | { readonly problem: string } => {
  if (!isObject(given)) return { problem: 'headers is not a map of names to texts' }
  const entries = Object.entries(given)
  if (entries.length > maxHeaders) return { problem: `more than ${maxHeaders} headers` }
  for (const [name, value] of entries) {
    if (!token.test(name)) return { problem: 'a header name has characters that no header can have' }
    if (reservedHeader.test(name)) return { problem: `the header ${name} cannot be set` }
    if (!['string', 'number', 'boolean'].includes(typeof value)) return { problem: `the header ${name} is not a text` }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(String(value)) || String(value).length > maxHeaderChars) {
      return { problem: `the header ${name} is too long or has characters that no header can have` }
    }
  }
  return { headers: Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)])) }
}
