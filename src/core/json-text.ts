/** JSON as text: what is done here keeps digits, repeated keys and their order as the sender wrote them. */

import type { Json } from './json.ts'
import { cut } from './text.ts'

// Control and format characters, which a terminal could act on. JSON.stringify leaves those above U+007F as they are.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')

/** Renders JSON, on one line or indented, that is safe on a terminal. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(unsafe, (char) => (char === '\n' ? char : escaped(char)))

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g
/** Deeper levels are not indented further: a body may nest a hundred thousand times. */
const deepest = 24

/** The text of valid JSON, indented, safe on a terminal; at most `limit` characters of it. */
export const prettyJson = (text: string, limit = Number.POSITIVE_INFINITY): string => {
  let out = ''
  let depth = 0
  let opened = false
  const newline = (): string => `\n${'  '.repeat(Math.min(depth, deepest))}`
  for (const [token] of text.matchAll(tokens)) {
    if (out.length > limit) break
    const closes = token === '}' || token === ']'
    if (closes) depth--
    // An empty list or map stays closed on its line.
    if (opened ? !closes : closes) out += newline()
    opened = token === '{' || token === '['
    if (opened) depth++
    out += written(token)
    if (token === ',') out += newline()
  }
  return cut(out, limit)
}

const written = (token: string): string => {
  if (token === ':') return ': '
  return token.startsWith('"') ? jsonText(JSON.parse(token) as Json) : token
}
