/** JSON as text: what is done here keeps digits, repeated keys and their order as the sender wrote them. */

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

/** The text of valid JSON without blanks between its tokens. */
export const compactJson = (text: string): string => Array.from(text.matchAll(tokens), ([token]) => token).join('')

/** Marks the digits of a number that JSON.parse would not give back. */
const mark = '\u0000digits '

/** The compact text of what `edit` makes of a JSON text; numbers that it leaves keep their digits. */
export const editJson = (text: string, edit: (value: Json) => Json): string => {
  const marked = Array.from(text.matchAll(tokens), ([token]) =>
    /^[-\d]/.test(token) && String(Number(token)) !== token ? JSON.stringify(mark + token) : token,
  ).join('')
  const written = JSON.stringify(edit(JSON.parse(marked) as Json))
  return written.replace(/"\\u0000digits ([-+\d.eE]+)"/g, '$1')
}

type Frame = { readonly isMap: boolean; key: string; index: number; wantsKey: boolean }

/** Where a string stands: under the nearest key, or is one. */
export type Spot = {
  /** Of a list's items the key of the list. */
  readonly key: string
  readonly isKey: boolean
  /** From the top, dotted; worked out only when asked for. */
  readonly path: () => string
}

/** The same JSON, compact, each of its strings as `change` makes it. */
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

/** The compact text of a top-level member of a map; `undefined` where there is none. The last one of a name counts, as in JSON.parse. */
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

/** `frames`: the lists and maps around a token; those that it opens or closes are among them. */
type Token = { readonly token: string; readonly isKey: boolean; readonly frames: readonly Frame[] }

function* tokensOf(text: string): Generator<Token> {
  const frames: Frame[] = []
  for (const [token] of text.matchAll(tokens)) {
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
