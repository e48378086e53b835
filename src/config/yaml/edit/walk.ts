/** Follows a path through a YAML text, as far as the text has its keys and items. */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json } from '../../../core/json.ts'
import type { Outline, OutlineEntry } from './outline.ts'
import { isRefused, type RefusedEdit } from './yaml-edit.ts'

/** A member of a map or list, with its siblings. */
export type YamlCursor = {
  readonly holder: number
  readonly entries: readonly OutlineEntry[]
  /** The member, and its index among `entries`. */
  readonly entry: OutlineEntry
  readonly index: number
}

/** The members that a path leads through, and the end of the path that the text does not have (`missing`). */
export type WalkedPath = { readonly spots: readonly YamlCursor[]; readonly missing: Path }

/** Follows a path. Returns why not, where a map or list on the way may not be edited. */
export const walkPath = (outline: Outline, data: Json, path: Path): WalkedPath | RefusedEdit => {
  const spots: YamlCursor[] = []
  let node = outline.tree.root
  let value: Json | undefined = data
  for (const [depth, key] of path.entries()) {
    if (value === null || (depth === 0 && outline.events.length === 0)) return { spots, missing: path.slice(depth) }
    const entries = entriesIn(outline, node, value)
    if (isRefused(entries)) return entries
    const index = entries.findIndex(({ name }) => name === String(key))
    const entry = entries[index]
    if (!entry && entries.some(({ name }) => name === '<<')) return { why: `"${key}" may come through the merge key "<<"` }
    if (!entry) return { spots, missing: path.slice(depth) }
    spots.push({ holder: node, entries, entry, index })
    node = entry.value
    value = memberOf(value, key)
  }
  return { spots, missing: [] }
}

/** Returns the members of a map or list, or why they may not be edited. `value`: the data of the map or list, where they are known. */
export const entriesIn = (outline: Outline, node: number, value: Json | undefined): readonly OutlineEntry[] | RefusedEdit => {
  if (outline.isAlias(node)) return { why: 'it stands in what an alias (*) names, and other places with it' }
  if (outline.anchorOf(node) !== undefined) return { why: anchorSentence(outline.anchorOf(node)) }
  if (outline.isFlow(node) && !/[[{]/.test(outline.text[outline.tree.range(node)?.[0] ?? 0] ?? ''))
    return { why: 'it stands in a pair without braces' }
  const entries = outline.entries(node)
  const odd = entries.find((entry) => entry.odd !== undefined)?.odd
  if (odd !== undefined) return { why: odd }
  const isPlain =
    !isObject(value) || (Object.keys(value).length === entries.length && entries.every(({ name }) => Object.hasOwn(value, name)))
  return isPlain ? entries : { why: 'a key beside it is no plain text' }
}

const anchorSentence = (anchor = ''): string => `it stands in what the anchor &${anchor} names, and other places with it`

/**
 * Refuses an edit of a range with an anchor: aliases may repeat the anchor's value elsewhere. `undefined` where the range has no anchor.
 */
export const refusalOfAnchors = (outline: Outline, from: number, to: number): RefusedEdit | undefined => {
  for (const [node, event] of outline.events.entries()) {
    const anchor = outline.anchorOf(node)
    if (anchor !== undefined && 'anchorStart' in event && event.anchorStart >= from && event.anchorStart < to)
      return { why: anchorSentence(anchor) }
  }
  return undefined
}

const memberOf = (value: Json | undefined, key: string | number): Json | undefined =>
  Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined
