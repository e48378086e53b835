/**
 * Renders a value as JSON up to a limit: exactly the beginning of JSON.stringify's text, with exact numbers as they were written, without
 * making the whole text.
 */

import { ExactNumber, numberKey } from '../core/exact-number.ts'
import type { ExactJson, ExactObject } from '../core/json.ts'
import { cut } from '../core/text.ts'

/** A list or map that is being rendered. `next`: the index of its next member. */
type Frame = { readonly list: readonly ExactJson[] | undefined; readonly map: ExactObject; readonly keys: readonly string[]; next: number }

const noMap: ExactObject = {}
const memberCount = (frame: Frame): number => (frame.list ?? frame.keys).length
const keyAt = (frame: Frame, i: number): string | number => (frame.list ? i : (frame.keys[i] as string))

const frameOf = (value: ExactObject | ExactJson[]): Frame =>
  Array.isArray(value) ? { list: value, map: noMap, keys: [], next: 0 } : { list: undefined, map: value, keys: Object.keys(value), next: 0 }

// Each unit of a text becomes at least one unit of JSON, so no more than the first `room` units of the text can be shown. A surrogate
// pair may be split there: the opening quote moves the half past the limit, so that it is cut off later.
const quoteUpTo = (text: string, room: number): string => JSON.stringify(text.length > room ? text.slice(0, room) : text)

/** Returns a text, number or boolean as a text, for filters and schemes; `undefined` for null, a list or a map. */
export const scalarText = (value: ExactJson | undefined): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : value instanceof ExactNumber
        ? value.text
        : undefined

/** As `scalarText`, for ids and keys: numbers of one value have one text, whichever way they are written. */
export const scalarKey = (value: ExactJson | undefined): string | undefined =>
  value instanceof ExactNumber ? numberKey(value) : scalarText(value)

/** Returns what is rendered in place of a value. */
type Instead = (value: ExactJson | undefined) => ExactJson | undefined
const itself: Instead = (value) => value

/**
 * Returns the first `limit` UTF-16 units of `JSON.stringify(value, null, indent)`, one fewer where the cut would split a surrogate pair.
 * A value of any depth and size is fine. `instead` is asked for each value before it is rendered.
 */
export const renderJson = (value: ExactJson, limit: number, indent: 0 | 2, instead = itself): string => {
  const stack: Frame[] = []
  let out = ''

  const newline = (): string => (indent === 0 ? '' : `\n${' '.repeat(Math.min(indent * stack.length, Math.max(0, limit - out.length)))}`)
  const scalar = (item: ExactJson | undefined): string => {
    if (typeof item === 'string') return quoteUpTo(item, limit - out.length)
    if (item instanceof ExactNumber) return item.text
    if (typeof item === 'number') return JSON.stringify(item)
    return typeof item === 'boolean' ? String(item) : 'null'
  }
  const write = (member: ExactJson | undefined): void => {
    const item = instead(member)
    if (typeof item !== 'object' || item === null || item instanceof ExactNumber) {
      out += scalar(item)
      return
    }
    const frame = frameOf(item)
    out += frame.list ? '[' : '{'
    if (memberCount(frame) > 0) stack.push(frame)
    else out += frame.list ? ']' : '}'
  }

  write(value)
  for (let frame = stack.at(-1); frame && out.length <= limit; frame = stack.at(-1)) {
    const i = frame.next++
    if (i === memberCount(frame)) {
      stack.pop()
      out += newline() + (frame.list ? ']' : '}')
      continue
    }
    if (i > 0) out += ','
    out += newline()
    const key = keyAt(frame, i)
    if (typeof key === 'string') out += quoteUpTo(key, Math.max(1, limit - out.length)) + (indent === 0 ? ':' : ': ')
    write(typeof key === 'string' ? frame.map[key] : frame.list?.[key])
  }
  return cut(out, limit)
}
