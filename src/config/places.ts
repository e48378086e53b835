/** Where the keys and values of a YAML text stand, found from the parser's events when somebody asks. */

import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import type { Path, Place } from '../core/diagnostic.ts'

/** From an offset up to, not including, another. */
type Range = readonly [from: number, to: number]
type Member = { readonly key: number; readonly value: number }

const opens = ({ type }: Event): boolean => type === EVENT_ID.DOCUMENT || type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE

type Scalar = Extract<Event, { type: typeof EVENT_ID.SCALAR }>

const quoteOf = ({ style }: Scalar): number => (style === SCALAR_STYLE.DOUBLE_QUOTED || style === SCALAR_STYLE.SINGLE_QUOTED ? 1 : 0)

/** Where a scalar begins, with its quote. */
export const scalarStart = (scalar: Scalar): number => scalar.valueStart - quoteOf(scalar)

/** For each event the index after the last one of its node. */
const endsOf = (events: readonly Event[]): Int32Array => {
  const ends = new Int32Array(events.length)
  const open: number[] = []
  for (const [i, event] of events.entries()) {
    if (opens(event)) open.push(i)
    else ends[event.type === EVENT_ID.POP ? (open.pop() ?? i) : i] = i + 1
  }
  return ends
}

/** Finds places in one text; each list or map of it is indexed once. */
export class Places {
  readonly #file: string
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #ends: Int32Array
  readonly #lines: readonly number[]
  readonly #members = new Map<number, ReadonlyMap<string, Member>>()

  constructor(file: string, text: string, events: readonly Event[]) {
    this.#file = file
    this.#text = text
    this.#events = events
    this.#ends = endsOf(events)
    this.#lines = lineStarts(text)
  }

  /** The place of the value at a path, or of its key; the nearest enclosing one when it is not there. */
  at(path: Path, of: 'key' | 'value'): Place {
    // The first event opens the document, the second one its value.
    let node = 1
    let range = this.#rangeOf(node) ?? [0, 0]
    for (const [depth, part] of path.entries()) {
      const member = this.#membersOf(node).get(String(part))
      if (!member) break
      node = member.value
      const wanted = of === 'key' && depth === path.length - 1 ? member.key : node
      // An empty value stands nowhere.
      range = this.#rangeOf(wanted) ?? this.#rangeOf(member.key) ?? range
    }
    return placeOf(this.#file, this.#lines, range)
  }

  #membersOf(node: number): ReadonlyMap<string, Member> {
    const known = this.#members.get(node)
    if (known) return known
    const found = new Map<string, Member>()
    const isMap = this.#events[node]?.type === EVENT_ID.MAPPING
    const end = this.#events[node]?.type === EVENT_ID.SEQUENCE || isMap ? this.#after(node) - 1 : node
    for (let at = node + 1; at < end; ) {
      const value = isMap ? this.#after(at) : at
      found.set(isMap ? this.#nameAt(at) : String(found.size), { key: at, value })
      at = this.#after(value)
    }
    this.#members.set(node, found)
    return found
  }

  #after(node: number): number {
    return this.#ends[node] ?? node + 1
  }

  #nameAt(node: number): string {
    const event = this.#events[node]
    return event?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, event) : ''
  }

  #rangeOf(node: number): Range | undefined {
    const event = this.#events[node]
    if (event?.type === EVENT_ID.ALIAS) return [event.anchorStart - 1, event.anchorEnd]
    if (event?.type === EVENT_ID.SCALAR) {
      if (event.valueStart < 0) return undefined
      return [scalarStart(event), event.valueEnd + quoteOf(event)]
    }
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return undefined
    return [event.start, this.#endOf(event, node)]
  }

  /** Where a list or map ends: behind its last value, or behind the bracket that closes it. */
  #endOf({ start, style }: { readonly start: number; readonly style: number }, node: number): number {
    let end = start
    for (let at = this.#after(node) - 1; at > node && end === start; at--) {
      const event = this.#events[at]
      if (event && !opens(event)) end = this.#rangeOf(at)?.[1] ?? end
    }
    if (style !== COLLECTION_STYLE.FLOW) return end
    const closing = this.#text.indexOf(this.#text[start] === '{' ? '}' : ']', end)
    return closing < 0 ? end : closing + 1
  }
}

const lineStarts = (text: string): number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

const pointAt = (starts: readonly number[], offset: number): { readonly line: number; readonly column: number } => {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}

const placeOf = (file: string, starts: readonly number[], [from, to]: Range): Place => {
  const start = pointAt(starts, from)
  const end = pointAt(starts, Math.max(from, to))
  return { file, ...start, endLine: end.line, endColumn: end.column }
}

/** The place of one character of a text. */
export const placeAt = (file: string, text: string, offset: number): Place => placeOf(file, lineStarts(text), [offset, offset + 1])
