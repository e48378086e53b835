/**
 * Formats, searches and edits JSON as text, token by token, because `JSON.parse` would change the digits of long numbers and lose repeated
 * keys. Two functions work on values instead: `jsonText` renders a value, and `editJson` changes one. `editJson` keeps the digits of
 * numbers, but of a repeated key only the last value.
 */

import { writeCarriedNumbers } from '../core/carried-numbers.ts'
import { exactJson } from '../core/exact-json.ts'
import type { ExactJson, Json } from '../core/json.ts'
import { cut, visibleJson } from '../core/text.ts'
import { renderJson } from '../expr/render.ts'

/** Renders a value as JSON that is safe on a terminal: on one line, or indented by `indent` blanks a level. Carried numbers are written. */
export const jsonText = (value: unknown, indent?: number): string => writeCarriedNumbers(visibleJson(JSON.stringify(value, null, indent)))

/** Matches the tokens of valid JSON: a string, a bracket, comma or colon, or a number, `true`, `false` or `null`. */
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g
/** Levels below this one are not indented further, because a body may nest a hundred thousand times. */
const maxIndentDepth = 24

/** Indents the text of valid JSON and makes it safe on a terminal. A result that is longer than `limit` characters is cut. */
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

/**
 * Parses a JSON text, lets `edit` change the value, and returns the result as compact text. Numbers keep their digits. Of a repeated key,
 * only the last value is kept.
 */
export const editJson = (text: string, edit: (value: ExactJson) => ExactJson): string =>
  renderJson(edit(exactJson(text)), Number.POSITIVE_INFINITY, 0)

/**
 * A list or map whose end has not come yet. `key`: its latest key; in a list, the key of the list itself. `index`: the place of the present
 * item in a list. `wantsKey`: the next string is a key.
 */
type OpenContainer = { readonly isMap: boolean; key: string; index: number; wantsKey: boolean }

export type StringPosition = {
  /** The key whose value is or contains the string; for a key, the key itself. */
  readonly key: string
  readonly isKey: boolean
  /** Returns the path to the string: the keys and list indexes from the top, joined by dots. */
  readonly path: () => string
}

/** Returns valid JSON as compact text. Each string, also if it is a key, is replaced by what `change` returns for it. */
export const mapStrings = (text: string, change: (value: string, position: StringPosition) => string): string => {
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

/**
 * Returns the value of the top-level key `name` as compact text; `undefined` without that key. Of a key that is repeated, the last value
 * counts, as in `JSON.parse`.
 */
export const memberText = (text: string, name: string): string | undefined => {
  let found: string | undefined
  for (const { token, isKey, frames } of tokensOf(text)) {
    if (frames.length === 0 || frames[0]?.key !== name) continue
    const isOfTopMap = frames.length === 1 && /^[:,}]$/.test(token)
    if (isKey && frames.length === 1) found = ''
    else if (!isOfTopMap) found += token
  }
  return found
}

/**
 * A token of JSON. `frames`: the lists and maps around the token, outermost first, and the list or map that the token opens or closes. The
 * array is valid only until the next token is read, which changes it.
 */
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
