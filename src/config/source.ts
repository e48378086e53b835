/** A YAML or JSON file as data, with the place of every key and value. */

import { readFileSync, statSync } from 'node:fs'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node } from 'yaml'
import { type Diagnostic, diagnostic, type Path, type Place } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'
import { parseYaml, type Range } from './yaml-document.ts'

/** Past this a file is not a configuration. */
const maxFileBytes = 16_777_216

export type Source = {
  readonly file: string
  readonly text: string
  readonly data: Json
  /** The place of the value at a path, or of its key; the nearest enclosing one when it is not there. */
  readonly place: (path: Path, of?: 'key' | 'value') => Place
}

export type Read = { readonly source?: Source; readonly text?: string; readonly diagnostics: readonly Diagnostic[] }

/** Parses a file's text; every syntax problem becomes a Diagnostic, and then there is no data. */
export const parseSource = (file: string, text: string): Read => {
  const lines = new LineCounter()
  const { document, data, problems } = parseYaml(text, lines)
  const at = ([from, to]: Range): Place => {
    const start = lines.linePos(from)
    const end = lines.linePos(Math.max(from, to))
    return { file, line: start.line, column: start.col, endLine: end.line, endColumn: end.col }
  }
  const diagnostics = problems.map(({ code, message, range, help }) => diagnostic(code, message, { place: at(range), help }))
  if (!document || data === undefined) return { text, diagnostics }
  const place = (path: Path, of: 'key' | 'value' = 'value'): Place => at(rangeAt(document.contents, path, of) ?? [0, 0])
  return { source: { file, text, data, place }, text, diagnostics }
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
    if (statSync(file).size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`)
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { diagnostics: [] }
    const place = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
    return {
      diagnostics: [diagnostic('WH003', `cannot read ${file}: ${messageOf(error)}`, { place, help: 'check its path and permissions' })],
    }
  }
  return parseSource(file, text)
}
