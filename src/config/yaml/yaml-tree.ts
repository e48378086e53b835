/** A YAML text as a tree, made over the parser's events. A node of the tree is a number: the index of its first event. */

import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml'
import { maxDepth } from './json-place.ts'

/** Offsets into the text; `to` is not included. */
export type Range = readonly [from: number, to: number]
/**
 * A member of a map or list. `name`: the text of its key, or its index in the list. `key`: the node of its key; in a list, the same node as
 * `value`.
 */
export type Member = { readonly name: string; readonly key: number; readonly value: number }

type Scalar = Extract<Event, { type: typeof EVENT_ID.SCALAR }>

/** Returns the events of a text. Throws a YAMLException where the text is not YAML, or is nested too deep. */
export const eventsOf = (text: string): readonly Event[] => parseEvents(text, { maxDepth })

const opensNode = ({ type }: Event): boolean => type === EVENT_ID.DOCUMENT || type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE

const quoteOf = ({ style }: Scalar): number => (style === SCALAR_STYLE.DOUBLE_QUOTED || style === SCALAR_STYLE.SINGLE_QUOTED ? 1 : 0)

/** Returns the offset where a scalar begins, with its quote. */
export const scalarStart = (scalar: Scalar): number => scalar.valueStart - quoteOf(scalar)

/** Returns the ranges of all scalars of a text in order, keys included. */
export const scalarsOf = (events: readonly Event[]): readonly Range[] =>
  events.flatMap((event): Range[] =>
    event.type === EVENT_ID.SCALAR && event.valueStart >= 0 ? [[scalarStart(event), event.valueEnd + quoteOf(event)]] : [],
  )

/** Returns, for each event, the index after the last event of its node. */
const endsOf = (events: readonly Event[]): Int32Array => {
  const ends = new Int32Array(events.length)
  const open: number[] = []
  for (const [i, event] of events.entries()) {
    if (opensNode(event)) open.push(i)
    else ends[event.type === EVENT_ID.POP ? (open.pop() ?? i) : i] = i + 1
  }
  return ends
}

export class YamlTree {
  /** The node of the document's value. The document's own event is event 0. */
  readonly root = 1
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #ends: Int32Array
  /** The offsets where maps and lists end, by node. They are kept, because each of many routes asks for the ends of the maps around it. */
  readonly #offsets = new Map<number, number>()

  constructor(text: string, events: readonly Event[]) {
    this.#text = text
    this.#events = events
    this.#ends = endsOf(events)
  }

  isMap(node: number): boolean {
    return this.#events[node]?.type === EVENT_ID.MAPPING
  }

  isList(node: number): boolean {
    return this.#events[node]?.type === EVENT_ID.SEQUENCE
  }

  isScalar(node: number): boolean {
    return this.#events[node]?.type === EVENT_ID.SCALAR
  }

  /** The members of a list or map, in order. A key that is written twice gives two members. */
  members(node: number): Member[] {
    const found: Member[] = []
    const isMap = this.isMap(node)
    const end = isMap || this.isList(node) ? this.#after(node) - 1 : node
    for (let at = node + 1; at < end; ) {
      const value = isMap ? this.#after(at) : at
      found.push({ name: isMap ? this.#nameAt(at) : String(found.length), key: at, value })
      at = this.#after(value)
    }
    return found
  }

  /** The value of a scalar; `undefined` for any other node. */
  scalar(node: number): string | undefined {
    return this.isScalar(node) ? this.#nameAt(node) : undefined
  }

  /** The anchor or alias of a node, as it is written (`&name`, `*name`); `undefined` without one. */
  anchor(node: number): string | undefined {
    const event = this.#events[node]
    if (!event || !('anchorStart' in event) || event.anchorStart < 0) return undefined
    return this.#text.slice(event.anchorStart - 1, event.anchorEnd)
  }

  anchors(): string[] {
    return this.#events.flatMap((_, node) => this.anchor(node) ?? [])
  }

  /** The range of a node without its anchor and tag; `undefined` for an empty value, which has no text. */
  range(node: number): Range | undefined {
    const event = this.#events[node]
    if (event?.type === EVENT_ID.ALIAS) return [event.anchorStart - 1, event.anchorEnd]
    if (event?.type === EVENT_ID.SCALAR) return event.valueStart < 0 ? undefined : [scalarStart(event), event.valueEnd + quoteOf(event)]
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return undefined
    const end = this.#offsets.get(node) ?? this.#endOf(event, node)
    this.#offsets.set(node, end)
    return [event.start, end]
  }

  /** The index of the event after a node, which is the next node of the same map or list. */
  #after(node: number): number {
    return this.#ends[node] ?? node + 1
  }

  #nameAt(node: number): string {
    const event = this.#events[node]
    return event?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, event) : ''
  }

  /** The offset where a list or map ends: after its last value, or after its closing bracket. */
  #endOf({ start, style }: { readonly start: number; readonly style: number }, node: number): number {
    const last = this.members(node).at(-1)
    const end = last ? (this.range(last.value)?.[1] ?? this.range(last.key)?.[1] ?? start) : start
    if (style !== COLLECTION_STYLE.FLOW) return end
    const closing = this.#text.indexOf(this.#text[start] === '{' ? '}' : ']', end)
    return closing < 0 ? end : closing + 1
  }
}
