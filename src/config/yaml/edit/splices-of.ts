/** Finds what an edit must replace in a text. That the result is right is checked afterwards. */

import type { Path } from '../../../core/diagnostic.ts'
import type { Json } from '../../../core/json.ts'
import type { Splice } from '../splice.ts'
import { type Added, added, addedToNothing } from './add.ts'
import { moved } from './move.ts'
import type { Outline } from './outline.ts'
import { removed } from './remove.ts'
import { renderKey } from './render.ts'
import { replaced } from './replace.ts'
import type { Style } from './style.ts'
import { entriesIn, type Spot, walk } from './walk.ts'
import { isRefused, type Refused, type YamlEdit } from './yaml-edit.ts'

type Splices = readonly Splice[] | Refused

export const splicesOf = (outline: Outline, data: Json, edit: YamlEdit, style: Style): Splices => {
  const found = walk(outline, data, edit.path)
  if (isRefused(found)) return found
  const { spots, rest } = found
  const last = spots.at(-1)
  if (edit.kind === 'insert' && rest.length === 0) return addedTo(outline, last, edit.at, { value: edit.value }, style)
  if (edit.kind === 'insert') return member(outline, last, rest, [edit.value], style)
  if (edit.kind === 'set' && rest.length > 0) return member(outline, last, rest, edit.value, style)
  if (edit.kind === 'move') return movedIn(outline, last?.entry.value ?? outline.tree.root, edit)
  if (!last) return { why: 'there is no such key' }
  if (edit.kind === 'set') return replaced(outline, last, edit.value, style)
  return edit.kind === 'remove' ? removed(outline, last, spots.at(-2)) : renamed(outline, last, edit.key, style)
}

/** Adds what is missing of a path: a key, with a map for each key below it. */
const member = (outline: Outline, above: Spot | undefined, [key, ...deeper]: Path, value: Json, style: Style): Splices => {
  const nested = deeper.reduceRight<Json>((inner, each) => ({ [each]: inner }), value)
  return addedTo(outline, above, undefined, { key: String(key), value: nested }, style)
}

/** Adds to the list or map that a member has; what is empty is written anew. */
const addedTo = (outline: Outline, above: Spot | undefined, index: number | undefined, member: Added, style: Style): Splices => {
  const node = above?.entry.value ?? outline.tree.root
  if (outline.isAlias(node)) return { why: 'it stands in what an alias (*) names, and other places with it' }
  if (outline.tree.members(node).length > 0) {
    const entries = entriesIn(outline, node, undefined)
    return isRefused(entries) ? entries : added(outline, node, entries, index ?? entries.length, member, style)
  }
  if (!above) return addedToNothing(outline, member, style)
  return replaced(outline, above, member.key === undefined ? [member.value] : { [member.key]: member.value }, style)
}

const movedIn = (outline: Outline, node: number, { from, to }: { readonly from: number; readonly to: number }): Splices => {
  const entries = entriesIn(outline, node, undefined)
  return isRefused(entries) ? entries : moved(outline, node, entries, from, to)
}

const renamed = (outline: Outline, { holder, entry }: Spot, key: string, style: Style): Splices => {
  const [from, to] = outline.tree.range(entry.key) ?? [0, 0]
  const scalar = outline.scalar(entry.key)
  const former = scalar && { style: scalar.style, value: entry.name }
  return [{ from, to, text: renderKey(key, style, outline.isFlow(holder) ? 'flow' : 'block', former) }]
}
