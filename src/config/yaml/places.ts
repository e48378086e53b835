/** Finds the places (file, lines and columns) of keys and values in a YAML text, when somebody asks for them. */

import type { Event } from 'js-yaml'
import type { Path, SourceRange } from '../../core/diagnostic.ts'
import { lineStarts } from './offsets.ts'
import { type Member, type Range, YamlTree } from './yaml-tree.ts'

/** Finds places in one text. Each list or map is indexed once, when a path first leads through it. */
export class Places {
  readonly #file: string
  readonly #tree: YamlTree
  readonly #lines: readonly number[]
  readonly #members = new Map<number, ReadonlyMap<string, Member>>()

  constructor(file: string, text: string, events: readonly Event[]) {
    this.#file = file
    this.#tree = new YamlTree(text, events)
    this.#lines = lineStarts(text)
  }

  /** Returns the place of the value at a path, or of its key. Where the path leads nowhere, it is the place of the nearest value around. */
  at(path: Path, of: 'key' | 'value'): SourceRange {
    let node = this.#tree.root
    const around = [node]
    for (const [depth, part] of path.entries()) {
      const member = this.#membersOf(node).get(String(part))
      if (!member) break
      node = member.value
      around.push(member.key)
      if (of === 'value' || depth < path.length - 1) around.push(node)
    }
    return placeOfRange(this.#file, this.#lines, this.#nearest(around))
  }

  /** The range of the last of these nodes that has a range: an empty value has no range. */
  #nearest(nodes: readonly number[]): Range {
    for (let i = nodes.length - 1; i >= 0; i--) {
      const range = this.#tree.range(nodes[i] as number)
      if (range) return range
    }
    return [0, 0]
  }

  #membersOf(node: number): ReadonlyMap<string, Member> {
    const known = this.#members.get(node)
    if (known) return known
    const found = new Map(this.#tree.members(node).map((member) => [member.name, member]))
    this.#members.set(node, found)
    return found
  }
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

const placeOfRange = (file: string, starts: readonly number[], [from, to]: Range): SourceRange => {
  const start = pointAt(starts, from)
  const end = pointAt(starts, Math.max(from, to))
  return { file, ...start, endLine: end.line, endColumn: end.column }
}

export const placeAt = (file: string, text: string, offset: number): SourceRange =>
  placeOfRange(file, lineStarts(text), [offset, offset + 1])
