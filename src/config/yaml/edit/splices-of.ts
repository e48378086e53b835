/** Finds the ranges of a text that an edit must replace. The caller checks that the result is right. */

import type { Json } from '../../../core/json.ts'
import type { Splice } from '../splice.ts'
import { type Addition, addSplices } from './add.ts'
import { moveSplices } from './move.ts'
import type { Outline } from './outline.ts'
import { removeSplices } from './remove.ts'
import { renderKey } from './render.ts'
import { replaceSplices } from './replace.ts'
import type { Style } from './style.ts'
import { entriesIn, type WalkedPath, walkPath, type YamlCursor } from './walk.ts'
import { isRefused, type RefusedEdit, type YamlEdit } from './yaml-edit.ts'

type Splices = readonly Splice[] | RefusedEdit

/** Returns the splices that make `edit` in the text of `outline`, whose data are `data`, or why the text cannot be edited so. */
export const splicesOf = (outline: Outline, data: Json, edit: YamlEdit, style: Style): Splices => {
  const found = walkPath(outline, data, edit.path)
  if (isRefused(found)) return found
  const last = found.spots.at(-1)
  const added = additionOf(edit, found)
  if (added) return addSplices(outline, last, 'at' in edit && found.missing.length === 0 ? edit.at : undefined, added, style)
  if (edit.kind === 'move') return moveInList(outline, last?.entry.value ?? outline.tree.root, edit)
  if (!last) return { why: 'there is no such key' }
  if (edit.kind === 'set') return replaceSplices(outline, last, edit.value, style)
  return edit.kind === 'rename' ? renameSplices(outline, last, edit.key, style) : removeSplices(outline, last, found.spots.at(-2))
}

/**
 * Returns the addition of an edit: an item, or members with the missing maps around the members. `undefined` where the edit changes only
 * what the text has already.
 */
const additionOf = (edit: YamlEdit, { missing }: WalkedPath): Addition | undefined => {
  const keys = missing.map(String)
  if (edit.kind === 'add') return { around: keys, members: edit.members }
  if (edit.kind === 'insert' && keys.length === 0) return { item: edit.value }
  const key = keys.at(-1)
  if (key === undefined || (edit.kind !== 'set' && edit.kind !== 'insert')) return undefined
  return { around: keys.slice(0, -1), members: [{ key, value: edit.kind === 'set' ? edit.value : [edit.value] }] }
}

const moveInList = (outline: Outline, node: number, { from, to }: { readonly from: number; readonly to: number }): Splices => {
  const entries = entriesIn(outline, node, undefined)
  return isRefused(entries) ? entries : moveSplices(outline, node, entries, from, to)
}

const renameSplices = (outline: Outline, { holder, entry }: YamlCursor, key: string, style: Style): Splices => {
  const [from, to] = outline.tree.range(entry.key) ?? [0, 0]
  const scalar = outline.scalar(entry.key)
  const former = scalar && { style: scalar.style, value: entry.name }
  return [{ from, to, text: renderKey(key, style, outline.isFlow(holder) ? 'flow' : 'block', former) }]
}
