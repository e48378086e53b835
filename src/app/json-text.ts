/** Changes JSON as text, so that digits, repeated keys and the order of keys stay as the sender wrote them. */

import type { Json } from '../core/json.ts'
import { cut, visibleJson } from '../core/text.ts'

/** Renders JSON, on one line or indented, that is safe on a terminal. */
export const jsonText = (value: unknown, indent?: number): string => visibleJson(JSON.stringify(value, null, indent))

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g
/** Deeper levels are not indented further: a body may nest a hundred thousand times. */
const maxIndentDepth = 24

/** Indents the text of valid JSON so that it is safe on a terminal; at most `limit` characters. */
export const prettyJson = (text: string, limit = Number.POSITIVE_INFINITY): string => {
  let out = ''
  let depth = 0
  let opened = false
  const newline = (): string => `\n${'  '.repeat(Math.min(depth, maxIndentDepth))}`
  for (const [token] of text.matchAll(jsonTokens)) {
    if (out.length > limit) break
    const closes = token === '}' || token === ']'
    if (closes) depth--
    // An empty list or map stays closed on its line.
    if (opened ? !closes : closes) out += newline()
    opened = token === '{' || token === '['
    if (opened) depth++
    out += spacedToken(token)
    if (token === ',') out += newline()
  }
  return cut(out, limit)
}

const spacedToken = (token: string): string => {
  if (token === ':') return ': '
  return token.startsWith('"') ? jsonText(JSON.parse(token) as Json) : token
}

/** Returns the text of valid JSON without blanks between its tokens. */
export const compactJson = (text: string): string => Array.from(text.matchAll(jsonTokens), ([token]) => token).join('')

/** Marks the digits of a number that JSON.parse would not give back. */
const digitsMark = '\u0000digits '

/** Returns the compact text of the value that `edit` makes of a JSON text. Unchanged numbers keep their digits. */
export const editJson = (text: string, edit: (value: Json) => Json): string => {
  const marked = Array.from(text.matchAll(jsonTokens), ([token]) =>
    /^[-\d]/.test(token) && String(Number(token)) !== token ? JSON.stringify(digitsMark + token) : token,
  ).join('')
  const written = JSON.stringify(edit(JSON.parse(marked) as Json))
  return written.replace(/"\\u0000digits ([-+\d.eE]+)"/g, '$1')
}

type OpenContainer = { readonly isMap: boolean; key: string; index: number; wantsKey: boolean }

/** The position of a string in JSON. */
export type Spot = {
  /** The nearest key around the string; for a key, the key itself. */
  readonly key: string
  readonly isKey: boolean
  /** Returns the dotted path from the top. */
  readonly path: () => string
}

/** Returns the compact JSON with each string, also each key, as `change` returns it. */
export const mapStrings = (text: string, change: (value: string, spot: Spot) => string): string => {
  let out = ''
  for (const { token, isKey, frames } of tokensOf(text)) {
    if (!token.startsWith('"')) {
      out += token
      continue
    }
    const before = JSON.parse(token) as string
    const path = (): string => frames.map(({ isMap, key, index }) => (isMap ? key : String(index))).join('.')
    const after = change(before, { key: frames.at(-1)?.key ?? '', isKey, path })
    out += after === before ? token : JSON.stringify(after)
  }
  return out
}

/** Returns the compact text of a top-level member; `undefined` without one. Of repeated keys the last counts, as in JSON.parse. */
export const memberText = (text: string, name: string): string | undefined => {
  let found: string | undefined
  for (const { token, isKey, frames } of tokensOf(text)) {
    if (frames.length === 0 || frames[0]?.key !== name) continue
    const isOwn = frames.length === 1 && /^[:,}]$/.test(token)
    if (isKey && frames.length === 1) found = ''
    else if (!isOwn) found += token
  }
  return found
}

/** A token of JSON. `frames`: the lists and maps around it, with the one that it opens or closes. */
type Token = { readonly token: string; readonly isKey: boolean; readonly frames: readonly OpenContainer[] }

function* tokensOf(text: string): Generator<Token> {
  const frames: OpenContainer[] = []
  for (const [token] of text.matchAll(jsonTokens)) {
    const frame = frames.at(-1)
    const isKey = frame?.wantsKey === true && token.startsWith('"')
    if (isKey) Object.assign(frame, { key: JSON.parse(token), wantsKey: false })
    if (token === ',' && frame) Object.assign(frame, { index: frame.index + 1, wantsKey: frame.isMap })
    if (token === '{' || token === '[') {
      const isMap = token === '{'
      frames.push({ isMap, key: isMap ? '' : (frame?.key ?? ''), index: 0, wantsKey: isMap })
    }
    yield { token, isKey, frames }
    if (token === '}' || token === ']') frames.pop()
  }
}
