/** Finds the splices that move an item of a list in a YAML text: items change places, and the text between items stays. */

import type { Splice } from '../splice.ts'
import { headOf, tailOf } from './extent.ts'
import type { Outline, OutlineEntry } from './outline.ts'
import type { RefusedEdit } from './yaml-edit.ts'

type ItemRange = { readonly from: number; readonly to: number }

/**
 * Returns the splices that move the item at the index `from` to the index `to` of the list `holder`. An item on lines of its own takes
 * along the comments behind it and right above it.
 */
export const moveSplices = (
  outline: Outline,
  holder: number,
  entries: readonly OutlineEntry[],
  from: number,
  to: number,
): readonly Splice[] | RefusedEdit => {
  const slots = outline.isFlow(holder) ? entries.map((entry) => ({ from: entry.from, to: entry.to })) : itemRanges(outline, entries)
  const texts = slots.map((slot) => outline.text.slice(slot.from, slot.to))
  const ordered = texts.toSpliced(from, 1).toSpliced(to, 0, texts[from] ?? '')
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  if (
    outline.isFlow(holder) &&
    slots.slice(first, last).some((slot, i) => outline.text.slice(slot.to, slots[first + i + 1]?.from).includes('#'))
  )
    return { why: 'comments stand between the items, and could end up behind others' }
  return slots.map((slot, i) => ({ ...slot, text: ordered[i] ?? '' })).slice(first, last + 1)
}

const itemRanges = (outline: Outline, entries: readonly OutlineEntry[]): ItemRange[] =>
  entries.map((entry, i) => {
    const previous = entries[i - 1]
    return { from: headOf(outline, entry, previous ? tailOf(outline, previous) : 0), to: tailOf(outline, entry) }
  })
