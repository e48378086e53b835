/**
 * Finds the splices that replace the value of a member in a YAML text. The comment on the line of the member stays, except in a list or map
 * that begins behind a dash.
 */

import { SCALAR_STYLE } from 'js-yaml'
import { isObject, type Json } from '../../../core/json.ts'
import type { Splice } from '../splice.ts'
import { tailOf } from './extent.ts'
import type { Outline, OutlineEntry } from './outline.ts'
import { type FormerScalar, indented, type Rendered, renderBlock, renderFlow } from './render.ts'
import type { Style } from './style.ts'
import { refusalOfAnchors, type YamlCursor } from './walk.ts'
import type { RefusedEdit } from './yaml-edit.ts'

/**
 * The offsets of a value. `from` and `to`: the part of the value on the line of its key or dash, behind which a comment may stand. `end`:
 * the end of the lines of the value below.
 */
type ValueRange = { readonly from: number; readonly to: number; readonly end: number }

/**
 * Returns the splices that replace the value of a member. `lines`: the lines of the members of the new list or map, from column 0, where
 * the caller has rendered them already.
 */
export const replaceSplices = (
  outline: Outline,
  { holder, entry }: Pick<YamlCursor, 'holder' | 'entry'>,
  value: Json,
  style: Style,
  lines?: readonly string[],
): readonly Splice[] | RefusedEdit => {
  const anchor = refusalOfAnchors(outline, entry.after ?? entry.to, entry.to)
  if (anchor) return anchor
  const former = formerOf(outline, entry)
  if (outline.isFlow(holder)) return replaceInBraces(outline, entry, renderFlow(value, style, former))
  const parts = valueRange(outline, entry)
  const wasFlow = outline.isFlow(entry.value) && outline.tree.members(entry.value).length > 0
  const isCommented = outline.text.slice(parts.to, outline.lineEnd(parts.to)).trim() !== ''
  const behind = outline.tree.isMap(holder) ? 'key' : isCommented ? 'dash and comment' : 'dash'
  const rendered =
    wasFlow && isNonEmpty(value) ? { head: ` ${renderFlow(value, style)}`, lines: [] } : renderBlock(value, behind, style, former, lines)
  const isBelow = outline.text.slice(entry.after, parts.from).includes('\n')
  if (isBelow && (rendered.head === '' || rendered.lines.length > 0))
    return { why: 'the value stands below its key: write it on the line of the key first' }
  return valueSplices(outline, entry, parts, rendered)
}

const isNonEmpty = (value: Json): boolean => (Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0)

const replaceInBraces = (outline: Outline, entry: OutlineEntry, text: string): readonly Splice[] => {
  if (entry.after === undefined) return [{ from: entry.to, to: entry.to, text: `: ${text}` }]
  const start = outline.start(entry.value)
  return start === undefined ? [{ from: entry.after, to: entry.after, text: ` ${text}` }] : [{ from: start, to: entry.to, text }]
}

const valueRange = (outline: Outline, entry: OutlineEntry): ValueRange => {
  const after = entry.after ?? entry.to
  const headLine = outline.lineEnd(after)
  const props = outline.propsEnd(entry.value, after)
  const start = outline.start(entry.value)
  if (start === undefined) return { from: after, to: after, end: headLine }
  if (outline.isBlockText(entry.value)) return { from: after, to: outline.headerEnd(entry.value, after), end: entry.to }
  const content = outline.tree.range(entry.value)?.[0] ?? props
  const isBlock = (outline.tree.isMap(entry.value) || outline.tree.isList(entry.value)) && !outline.isFlow(entry.value)
  if (isBlock && content > headLine) return { from: after, to: props, end: tailOf(outline, entry) }
  // A map that begins behind its dash is replaced with the comments in it.
  if (isBlock) return { from: after, to: tailOf(outline, entry), end: tailOf(outline, entry) }
  return { from: start, to: entry.to, end: outline.lineEnd(entry.to) }
}

const valueSplices = (
  outline: Outline,
  entry: OutlineEntry,
  { from, to, end }: ValueRange,
  { head, lines }: Rendered,
): readonly Splice[] => {
  const { text, eol } = outline
  const after = entry.after ?? from
  const gap = text.slice(after, from)
  const lineEnd = outline.lineEnd(to)
  const isBare = text.slice(to, lineEnd).trim() === ''
  const body = indented(lines, outline.columnAt(entry.from)).map((line) => eol + line)
  const first = { from: gap === '' || head === '' ? after : from, to: isBare ? lineEnd : to, text: gap === '' ? head : head.trimStart() }
  return [first, { from: lineEnd, to: Math.max(end, lineEnd), text: body.join('') }]
}

/** Returns how the present value is written, for the style of the new value; `undefined` where the present value is no text or number. */
const formerOf = (outline: Outline, entry: OutlineEntry): FormerScalar | undefined => {
  const scalar = outline.scalar(entry.value)
  if (!scalar || scalar.valueStart < 0) return undefined
  const value = outline.valueOf(scalar)
  if (!outline.isBlockText(entry.value)) return { style: scalar.style, value }
  const indent = scalar.indent - outline.columnAt(entry.from)
  const known = indent > 0 ? { indent } : {}
  if (scalar.style !== SCALAR_STYLE.FOLDED_BLOCK) return { style: scalar.style, value, ...known }
  const lines = outline.text.slice(scalar.valueStart, scalar.valueEnd).split(/\r?\n/)
  const width = lines.reduce((most, line) => Math.max(most, line.length - scalar.indent), 40)
  return { style: scalar.style, value, ...known, width }
}
