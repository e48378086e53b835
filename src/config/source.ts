/** A YAML or JSON file as data, with the place of every key and value. */

import { readFileSync } from 'node:fs'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { type Diagnostic, diagnostic, type Path, type Place } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'

/** Past this a file is not a configuration. */
const maxFileBytes = 16_777_216
/** An alias may stand for at most this many nodes in all: a "billion laughs" file is refused. */
const maxAliases = 100

export type Source = {
  readonly file: string
  readonly text: string
  readonly data: Json
  /** The place of the value at a path, or of its key; the nearest enclosing one when it is not there. */
  readonly place: (path: Path, of?: 'key' | 'value') => Place
}

export type Read = { readonly source?: Source; readonly text?: string; readonly diagnostics: readonly Diagnostic[] }

type Range = readonly [number, number, ...number[]]

/** Parses a file's text; every syntax problem becomes a Diagnostic, and then there is no data. */
export const parseSource = (file: string, text: string): Read => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: false })
  const at = ([from, to]: Range): Place => {
    const start = lines.linePos(from)
    const end = lines.linePos(Math.max(from, to))
    return { file, line: start.line, column: start.col, endLine: end.line, endColumn: end.col }
  }
  const problems = document.errors.map((error) =>
    error.code === 'DUPLICATE_KEY'
      ? diagnostic('WH002', 'this key stands twice in the same map', { place: at(error.pos), help: 'remove one of the two' })
      : diagnostic('WH001', error.message.split('\n')[0] ?? 'syntax error', {
          place: at(error.pos),
          help: 'the file must be valid YAML 1.2',
        }),
  )
  if (problems.length > 0) return { text, diagnostics: problems }
  let data: Json
  try {
    data = (document.toJS({ maxAliasCount: maxAliases }) ?? {}) as Json
  } catch (error) {
    // The name of an alias is cut off: it may be a secret that begins with a star.
    const message = messageOf(error).replace(/:.*/s, '')
    const help = 'use fewer aliases, and put a text that begins with * in quotes'
    return { text, diagnostics: [diagnostic('WH001', message, { place: at([0, 0]), help })] }
  }
  const place = (path: Path, of: 'key' | 'value' = 'value'): Place => at(rangeAt(document.contents, path, of) ?? [0, 0])
  return { source: { file, text, data, place }, text, diagnostics: [] }
}

const rangeAt = (root: Node | null, path: Path, of: 'key' | 'value'): Range | undefined => {
  let node: unknown = root
  let range: Range | undefined = rangeOf(root)
  for (const [depth, part] of path.entries()) {
    const next = childAt(node, part)
    if (!next) return range
    node = next.value
    const wanted = of === 'key' && depth === path.length - 1 ? next.key : (next.value ?? next.key)
    range = rangeOf(wanted) ?? range
  }
  return range
}

const childAt = (node: unknown, part: string | number): { key: unknown; value: unknown } | undefined => {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(part))
    return pair && { key: pair.key, value: pair.value }
  }
  if (isSeq(node)) {
    const item = node.items[Number(part)]
    return item === undefined ? undefined : { key: item, value: item }
  }
  return undefined
}

/** From a node's start to the end of its value, without the trailing blanks and comments. */
const rangeOf = (node: unknown): Range | undefined => {
  if (!isMap(node) && !isSeq(node) && !isScalar(node) && !isAlias(node)) return undefined
  return node.range ? [node.range[0], node.range[1]] : undefined
}

/** Reads and parses a file; `undefined` source and no diagnostics when it is not there. */
export const readSource = (file: string): Read => {
  let text: string
  try {
    const bytes = readFileSync(file)
    if (bytes.length > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
    text = bytes.toString('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { diagnostics: [] }
    const place = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
    return {
      diagnostics: [diagnostic('WH003', `cannot read ${file}: ${messageOf(error)}`, { place, help: 'check its path and permissions' })],
    }
  }
  return parseSource(file, text)
}
