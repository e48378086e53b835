/** The outline of a YAML text: the offsets at which the members of its maps and lists begin and end. A node is a number (`YamlTree`). */

import { CHOMPING_MODE, COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { YamlTree } from '../yaml-tree.ts'

/** A member of a map or list as it stands in the text. */
export type OutlineEntry = {
  readonly name: string
  /** The node of the member's key; in a list, of its value. */
  readonly key: number
  /** The node of the member's value. */
  readonly value: number
  /** The offset of the member's key or dash; in a list between brackets, which has no dashes, of its value. */
  readonly from: number
  /** The offset behind the member's colon or dash; in a list between brackets the same as `from`; `undefined` for a key without a colon. */
  readonly after: number | undefined
  /** The offset behind the member's last character, before any comment. */
  readonly to: number
  /** Why the range of the member is not certain, so that the member must not be edited. */
  readonly odd?: string
}

type Scalar = Extract<Event, { type: typeof EVENT_ID.SCALAR }>

export class Outline {
  readonly text: string
  readonly events: readonly Event[]
  readonly tree: YamlTree
  readonly eol: '\n' | '\r\n'

  constructor(text: string, events: readonly Event[]) {
    this.text = text
    this.events = events
    this.tree = new YamlTree(text, events)
    this.eol = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n'
  }

  /** Whether a node is a list or map in flow style: between brackets or braces, as in JSON. */
  isFlow(node: number): boolean {
    const event = this.events[node]
    return (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) && event.style === COLLECTION_STYLE.FLOW
  }

  isAlias(node: number): boolean {
    return this.events[node]?.type === EVENT_ID.ALIAS
  }

  scalar(node: number): Scalar | undefined {
    const event = this.events[node]
    return event?.type === EVENT_ID.SCALAR ? event : undefined
  }

  valueOf(scalar: Scalar): string {
    return getScalarValue(this.text, scalar)
  }

  /** The anchor of a node, through which aliases may repeat the node elsewhere; `undefined` without an anchor. */
  anchorOf(node: number): string | undefined {
    const event = this.events[node]
    if (!event || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.ALIAS) return undefined
    return event.anchorStart < 0 ? undefined : this.text.slice(event.anchorStart, event.anchorEnd)
  }

  lineStart(at: number): number {
    // A search from before the beginning would look at the first character, and may find a line end there.
    return at === 0 ? 0 : this.text.lastIndexOf('\n', at - 1) + 1
  }

  /** The offset where the line around an offset ends, before its line break. */
  lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at)
    if (end < 0) return this.text.length
    return this.text[end - 1] === '\r' && end > at ? end - 1 : end
  }

  /** The offset behind the line break of the line around an offset. */
  nextLine(at: number): number {
    const end = this.text.indexOf('\n', at)
    return end < 0 ? this.text.length : end + 1
  }

  /** The column of an offset, from 0. */
  readonly columnAt = (at: number): number => {
    const start = this.lineStart(at)
    return at - start - (start === 0 && this.text.startsWith('\ufeff') ? 1 : 0)
  }

  /** Whether nothing but a comment follows an offset on its line. */
  endsLine(at: number): boolean {
    return /^[ \t]*$|^[ \t]+#/.test(this.text.slice(at, this.lineEnd(at)))
  }

  /** Whether nothing but blanks stands before an offset on its line. */
  beginsLine(at: number): boolean {
    return /^\ufeff?[ \t]*$/.test(this.text.slice(this.lineStart(at), at))
  }

  /** The offset behind the spaces, line ends and comments that begin at an offset. */
  skip(at: number): number {
    return this.#after(/(?:[ \t\r\n]+|#[^\n]*)*/y, at)
  }

  entries(node: number): OutlineEntry[] {
    const isList = this.tree.isList(node)
    const found: OutlineEntry[] = []
    let at = this.start(node) ?? 0
    for (const { name, key, value } of this.tree.members(node)) {
      const entry = isList ? this.#item(node, name, value, at) : this.#member(node, name, key, value)
      found.push(entry)
      at = entry.to
    }
    return found
  }

  #member(node: number, name: string, key: number, value: number): OutlineEntry {
    const [begin, end] = this.tree.range(key) ?? [0, 0]
    const from = this.start(key) ?? begin
    const before = this.text.slice(this.lineStart(from), from).trimEnd()
    const isOdd = this.tree.range(key) === undefined || !this.scalar(key) || from !== begin || /\?$/.test(before)
    const colon = this.isFlow(node) ? this.skip(end) : this.#after(/[ \t]*/y, end)
    const after = this.text[colon] === ':' ? colon + 1 : undefined
    const odd = isOdd || (after === undefined && !this.isFlow(node)) ? { odd: 'a key on its way is no plain text' } : {}
    return { name, key, value, from, after, to: this.endOf(value, after ?? end), ...odd }
  }

  #item(node: number, name: string, value: number, at: number): OutlineEntry {
    if (this.isFlow(node)) {
      const from = this.start(value) ?? at
      return { name, key: value, value, from, after: from, to: this.endOf(value, from) }
    }
    const from = this.skip(at)
    return { name, key: value, value, from, after: from + 1, to: this.endOf(value, from + 1) }
  }

  /**
   * The offset where a node begins, with its anchor and tag. A block of text (`|` or `>`) without them begins at its first line.
   * `undefined` for an empty value.
   */
  start(node: number): number | undefined {
    const event = this.events[node]
    if (!event || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return undefined
    if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1
    const starts = [event.anchorStart < 0 ? -1 : event.anchorStart - 1, event.tagStart, this.tree.range(node)?.[0] ?? -1]
    const known = starts.filter((start) => start >= 0)
    return known.length > 0 ? Math.min(...known) : undefined
  }

  /** The offset behind the anchor and the tag of a node; `after` where the node has neither. */
  propsEnd(node: number, after: number): number {
    const event = this.events[node]
    if (!event || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.ALIAS) return after
    return Math.max(after, event.anchorEnd, event.tagEnd)
  }

  isBlockText(node: number): boolean {
    const style = this.scalar(node)?.style
    return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK
  }

  /** The offset behind the header of a block of text, for example `|-`. */
  headerEnd(node: number, after: number): number {
    return this.#after(/[ \t]*[|>][-+0-9]*/y, this.propsEnd(node, after))
  }

  /** The offset behind a node. `after`: the offset where the node may begin at the earliest, behind a colon or dash. */
  endOf(node: number, after: number): number {
    const scalar = this.scalar(node)
    if (scalar && this.isBlockText(node)) return this.#blockTextEnd(scalar, this.headerEnd(node, after))
    if (this.tree.isMap(node) || this.tree.isList(node)) return this.#collectionEnd(node)
    return this.tree.range(node)?.[1] ?? this.propsEnd(node, after)
  }

  #blockTextEnd({ valueStart, valueEnd, chomping, indent }: Scalar, headerEnd: number): number {
    const text = this.text.slice(valueStart, valueEnd)
    // Blank lines below a block belong to it only where its header keeps them (`|+`).
    const blank = chomping === CHOMPING_MODE.KEEP ? /\r?\n$/ : new RegExp(`(?:(?:^|\\r?\\n) {0,${Math.max(indent, 0)}})*(?:\\r?\\n)?$`)
    const kept = text.replace(blank, '')
    return kept === '' ? headerEnd : valueStart + kept.length
  }

  #collectionEnd(node: number): number {
    const [start = 0] = this.tree.range(node) ?? []
    const last = this.tree.members(node).at(-1)
    const isBraced = this.isFlow(node) && /[[{]/.test(this.text[start] ?? '')
    const end = last ? this.#memberEnd(node, last) : start + 1
    if (!isBraced) return end
    let at = this.skip(end)
    while (/[,:]/.test(this.text[at] ?? '')) at = this.skip(at + 1)
    return at + 1
  }

  #memberEnd(node: number, { name, key, value }: { readonly name: string; readonly key: number; readonly value: number }): number {
    if (this.tree.isMap(node)) return this.#member(node, name, key, value).to
    const isEmpty = this.start(value) === undefined
    if (isEmpty && !this.isFlow(node)) return this.entries(node).at(-1)?.to ?? 0
    return this.endOf(value, this.#dashBefore(node, value))
  }

  /** The offset where the value of a list's last item may begin. */
  #dashBefore(node: number, value: number): number {
    const start = this.start(value) ?? 0
    if (!this.isBlockText(value) || this.isFlow(node)) return start
    return this.entries(node).at(-1)?.after ?? start
  }

  /** Returns the offset behind the text that matches the pattern at `at`. */
  #after(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    pattern.test(this.text)
    return Math.max(pattern.lastIndex, at)
  }
}
