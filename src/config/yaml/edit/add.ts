/** Finds the splices that add members to a map or list of a YAML text. */

import type { Json, JsonObject } from '../../../core/json.ts'
import type { Splice } from '../splice.ts'
import { headOf, tailOf } from './extent.ts'
import type { Outline, OutlineEntry } from './outline.ts'
import { flowMember, indented, renderFlow, renderItem, renderKey, renderMember } from './render.ts'
import { replaceSplices } from './replace.ts'
import type { Style } from './style.ts'
import { entriesIn, type YamlCursor } from './walk.ts'
import { isRefused, type NewMember, type RefusedEdit } from './yaml-edit.ts'

/** What is added: an item of a list, or members of a map. `around`: the keys of the maps that must be made around these members. */
export type Addition = { readonly item: Json } | { readonly around: readonly string[]; readonly members: readonly NewMember[] }

/**
 * Returns the splices that add to the list or map that is the value of `above`; without `above`, to the value of the whole text. The
 * addition stands before the member at `index`, or behind the last member.
 */
export const addSplices = (
  outline: Outline,
  above: YamlCursor | undefined,
  index: number | undefined,
  added: Addition,
  style: Style,
): readonly Splice[] | RefusedEdit => {
  const node = above?.entry.value ?? outline.tree.root
  const entries = outline.tree.members(node).length > 0 || outline.isAlias(node) ? entriesIn(outline, node, undefined) : []
  if (isRefused(entries)) return entries
  const inFlow = outline.isFlow(entries.length > 0 ? node : (above?.holder ?? -1)) || style.json
  if (inFlow && 'members' in added && added.members.some((member) => member.above)) return { why: 'a comment cannot stand between braces' }
  if (entries.length > 0 && inFlow) return addInBrackets(outline, entries, index ?? entries.length, additionInFlow(added, style))
  if (entries.length > 0) return addLines(outline, entries, index ?? entries.length, additionLines(added, style))
  return above
    ? replaceSplices(outline, above, additionData(added), style, additionLines(added, style))
    : addToEmptyText(outline, added, style)
}

const additionLines = (added: Addition, style: Style): string[] => {
  if ('item' in added) return renderItem(added.item, style)
  const lines = added.members.flatMap(({ key, value, above = [] }) => [...above, ...renderMember(key, value, style)])
  return added.around.reduceRight((inner, key) => [`${renderKey(key, style, 'block')}:`, ...indented(inner, style.step)], lines)
}

const additionData = (added: Addition): JsonObject | Json[] => {
  if ('item' in added) return [added.item]
  const map: JsonObject = Object.fromEntries(added.members.map(({ key, value }) => [key, value]))
  return added.around.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), map)
}

const additionInFlow = (added: Addition, style: Style): string =>
  'item' in added
    ? renderFlow(added.item, style)
    : Object.entries(additionData(added))
        .map(([key, value]) => flowMember(key, value, style))
        .join(', ')

/** Adds lines between members that stand on lines of their own. */
const addLines = (outline: Outline, entries: readonly OutlineEntry[], index: number, lines: readonly string[]): readonly Splice[] => {
  const { eol } = outline
  const next = entries[index]
  const column = outline.columnAt((next ?? entries.at(-1))?.from ?? 0)
  const text = indented(lines, column)
  if (next) {
    const at = headOf(outline, next, entries[index - 1]?.to ?? 0)
    return [{ from: at, to: at, text: text.join(eol).slice(column) + eol + ' '.repeat(column) }]
  }
  const last = entries.at(-1)
  const at = last ? tailOf(outline, last) : outline.text.length
  return [{ from: at, to: at, text: text.map((line) => eol + line).join('') }]
}

/** Adds to a text that has no value, or whose value is an empty list or map. */
const addToEmptyText = ({ text, eol, tree }: Outline, added: Addition, style: Style): readonly Splice[] => {
  const lines = additionLines(added, style).join(eol)
  const [from, to] = tree.range(tree.root) ?? []
  if (from !== undefined && to !== undefined) return [{ from, to, text: style.json ? renderFlow(additionData(added), style) : lines }]
  const isEnded = text === '' || text === '\ufeff' || text.endsWith('\n')
  return [{ from: text.length, to: text.length, text: isEnded ? lines + eol : eol + lines }]
}

/** Adds between the brackets or braces of a list or map in flow style (`[a, b]`). */
const addInBrackets = (outline: Outline, entries: readonly OutlineEntry[], index: number, text: string): readonly Splice[] => {
  const next = entries[index]
  if (next) return [{ from: next.from, to: next.from, text: `${text},${gapBefore(outline, next)}` }]
  const last = entries.at(-1)
  if (!last) return []
  const comma = outline.skip(last.to)
  const hasComma = outline.text[comma] === ','
  const end = hasComma ? comma + 1 : last.to
  if (!outline.beginsLine(last.from) || !outline.endsLine(end)) return [{ from: last.to, to: last.to, text: `, ${text}` }]
  const lineEnd = outline.lineEnd(end)
  const below = { from: lineEnd, to: lineEnd, text: `${gapBefore(outline, last)}${text}${hasComma ? ',' : ''}` }
  return hasComma ? [below] : [{ from: last.to, to: last.to, text: ',' }, below]
}

/** Returns the gap between a comma and the next member: a line end and an indent where a member begins its line, else a space. */
const gapBefore = (outline: Outline, { from }: OutlineEntry): string =>
  outline.beginsLine(from) ? outline.eol + outline.text.slice(outline.lineStart(from), from) : ' '
