/** Indents JSON from its text, so that digits, repeated keys and their order stay as the sender wrote them. */

import type { Json } from '../../core/json.ts'
import { cut } from '../../core/text.ts'
import { jsonText } from './output.ts'

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g
/** Deeper levels are not indented further: a body may nest a hundred thousand times. */
const deepest = 24

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

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
