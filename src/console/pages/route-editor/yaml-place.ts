/**
 * Finds the place of a position in the YAML of a route: the keys around the position, and whether a key or a value stands there. A text
 * that the user is typing is mostly no valid YAML, so the place is found by the indents of the lines, and not by a parser.
 */

/** The member of a path that stands for an item of a list. */
export const item = 0
export type YamlPath = readonly (string | typeof item)[]

/**
 * A place in a text. `path`: the keys around the place; where a value stands, its own key is the last of them. `typed`: the text from the
 * beginning of the key or value to the position; in a block text (`|` or `>`), only the text of the position's line. `from`: the offset at
 * which `typed` begins.
 */
export type YamlPlace = { readonly path: YamlPath; readonly kind: 'key' | 'value'; readonly typed: string; readonly from: number }

/** A line. `dashes`: the columns of its dashes. `column`: the column of its content. */
type Line = { readonly dashes: readonly number[]; readonly column: number; readonly content: string }

const lineOf = (text: string): Line => {
  const [, indent = '', dashes = ''] = /^( *)((?:- +)*)/.exec(text) ?? []
  const bare = text.slice(indent.length + dashes.length)
  const isDash = bare === '-'
  const columns = [...dashes.matchAll(/-/g)].map(({ index }) => indent.length + index)
  return {
    dashes: isDash ? [...columns, indent.length + dashes.length] : columns,
    column: indent.length + dashes.length + (isDash ? 2 : 0),
    content: isDash ? '' : bare,
  }
}

const keyForm = /^(?:"([^"]*)"|'([^']*)'|([^\s#{}[\],"'][^:#]*?))\s*:(?=\s|$)/

/** Returns the key with which a text begins, and the text behind the key; `undefined` without a key. */
const keyIn = (content: string): { readonly key: string; readonly rest: string } | undefined => {
  const found = keyForm.exec(content)
  if (!found) return undefined
  const [whole, double, single, plain] = found
  return { key: double ?? single ?? plain ?? '', rest: content.slice(whole.length).trimStart() }
}

/** Returns the place at an offset of a text. */
export const yamlPlaceAt = (text: string, offset: number): YamlPlace => {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const line = lineOf(text.slice(start, offset))
  const around = pathAround(text.slice(0, start).split('\n').slice(0, -1), line)
  const contentAt = offset - line.content.length
  const block = around.isBlockText
  const keyed = block ? undefined : keyIn(line.content)
  if (block) return { path: around.path, kind: 'value', typed: line.content, from: contentAt }
  const path = keyed ? [...around.path, keyed.key] : around.path
  const value = keyed ? keyed.rest : line.content
  const inner = inBraces(value)
  const from = offset - (inner?.typed ?? value).length
  if (inner) return { path: [...path, ...inner.path], kind: inner.kind, typed: inner.typed, from }
  return { path, kind: keyed ? 'value' : 'key', typed: value, from }
}

/**
 * Returns the keys around a line: the keys above the line that have smaller indents, and around the items of a list also the key of the
 * list at the same indent. `isBlockText`: whether the line is part of a text in the block form (`|` or `>`).
 */
const pathAround = (above: readonly string[], { dashes, column }: Line): { readonly path: YamlPath; readonly isBlockText: boolean } => {
  const path: (string | typeof item)[] = []
  let limit = column
  let isItem = false
  let isBlockText = false
  const enter = (dash: number): void => {
    if (dash >= limit) return
    path.unshift(item)
    limit = dash
    isItem = true
  }
  for (const dash of dashes.toReversed()) enter(dash)
  for (const text of above.toReversed()) {
    if (/^\s*(?:#|$)/.test(text)) continue
    const line = lineOf(text)
    const keyed = keyIn(line.content)
    const isAbove = line.column < limit || (isItem && line.column === limit && line.dashes.length === 0)
    if (keyed && isAbove) {
      isBlockText ||= path.length === 0 && /^[|>][-+\d]*\s*(?:#.*)?$/.test(keyed.rest)
      path.unshift(keyed.key)
      limit = line.column
      isItem = false
    }
    for (const dash of line.dashes.toReversed()) enter(dash)
    if (limit === 0 && !isItem) break
  }
  return { path, isBlockText }
}

/**
 * A map or list in braces or brackets whose end has not come yet. `key`: the key of the map's present member. `start`: the offset at which
 * the present key or value begins.
 */
type Open = { readonly isMap: boolean; readonly key?: string; readonly start: number }

/** Matches the parts of a text in braces: texts in quotes, single characters with a meaning, and the texts between these. */
const flowParts = /"(?:[^"\\]|\\.)*"?|'[^']*'?|[{}[\],]|:(?=\s|$)|(?:[^"'{}[\],:]|:(?!\s|$))+/g

/**
 * Returns the place inside of the braces and brackets that are open at the end of a text; `undefined` where no brace or bracket is open.
 */
const inBraces = (text: string): Omit<YamlPlace, 'from'> | undefined => {
  if (!/^[[{]/.test(text)) return undefined
  const open = [...text.matchAll(flowParts)].reduce<readonly Open[]>((before, part) => afterPart(before, part, text), [])
  const last = open.at(-1)
  if (!last) return undefined
  const path = open.flatMap(({ isMap, key }): YamlPath => (isMap ? (key === undefined ? [] : [key]) : [item]))
  return { path, kind: last.isMap && last.key === undefined ? 'key' : 'value', typed: text.slice(last.start).trimStart() }
}

const afterPart = (open: readonly Open[], { 0: part, index }: RegExpExecArray, text: string): readonly Open[] => {
  const last = open.at(-1)
  const start = index + part.length
  if (part === '{' || part === '[') return [...open, { isMap: part === '{', start }]
  if (!last) return open
  if (part === '}' || part === ']') return open.slice(0, -1)
  if (part === ',') return [...open.slice(0, -1), { isMap: last.isMap, start }]
  if (part !== ':' || !last.isMap || last.key !== undefined) return open
  const key = text
    .slice(last.start, index)
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
  return [...open.slice(0, -1), { isMap: true, key, start }]
}
