/** Folds and unfolds the form of a route: hides or shows the fields that are not set, by section and by group. */

import type { JsonObject } from '../../../core/json.ts'
import { sections } from '../../../edit/sections.ts'
import { type FormRow, foldKey, formRows, isSameRow } from './form-rows.ts'

/**
 * Returns the names of what is unfolded (`foldKey`) after the section or group of a row was folded or unfolded; `undefined` for a row that
 * has nothing to fold.
 */
export const withFold = (unfolded: readonly string[], row: FormRow): readonly string[] | undefined => {
  const key = foldKey(row)
  if (key === undefined) return undefined
  return unfolded.includes(key) ? unfolded.filter((each) => each !== key) : [...unfolded, key]
}

type FoldState = { readonly cursor: number; readonly unfolded: readonly string[] }

/**
 * Unfolds all sections if one of them is folded, and folds all otherwise. Groups are folded in both cases. The cursor stays on its row. If
 * that row is hidden, the cursor goes to the heading of the row's section.
 */
export const withAllFolded = ({ cursor, unfolded: now }: FoldState, spec: JsonObject): FoldState => {
  const before = formRows(spec, now)
  const isAnyFolded = before.some((row) => row.kind === 'section' && row.folded > 0)
  const unfolded = isAnyFolded ? sections.map(({ name }) => name) : []
  const after = formRows(spec, unfolded)
  const anchors = before.slice(0, cursor + 1).reverse()
  const anchor = anchors.find((row, i) => (i === 0 || row.kind === 'section') && after.some((each) => isSameRow(each, row)))
  return { unfolded, cursor: Math.max(0, anchor ? after.findIndex((row) => isSameRow(row, anchor)) : 0) }
}

/** Says in a word what enter does on a row. */
export const enterWord = (row: FormRow | undefined): string => {
  if (row === undefined || foldKey(row) === undefined) return 'edit'
  return row.kind !== 'mode' && row.isOpen ? 'fold' : 'unfold'
}
