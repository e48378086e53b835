/** Adds members to maps and lists. */

import type { Json } from '../../../core/json.ts'
import type { Splice } from '../splice.ts'
import { headOf, tailOf } from './extent.ts'
import type { Entry, Outline } from './outline.ts'
import { flowMember, indented, renderFlow, renderItem, renderMember } from './render.ts'
import type { Style } from './style.ts'

/** A new member: a list item where it has no key. */
export type Added = { readonly key?: string; readonly value: Json }

/** Puts a member before the one at `index`, or behind the last. There is at least one, or the holder is in brackets. */
export const added = (
  outline: Outline,
  holder: number,
  entries: readonly Entry[],
  index: number,
  member: Added,
  style: Style,
): readonly Splice[] => {
  if (outline.isFlow(holder)) return inBrackets(outline, holder, entries, index, member, style)
  const lines = linesOf(member, style)
  const next = entries[index]
  const last = entries.at(-1)
  const column = outline.columnAt((next ?? last)?.from ?? 0)
  const indent = ' '.repeat(column)
  if (next) {
    const at = headOf(outline, next, entries[index - 1]?.to ?? 0)
    return [{ from: at, to: at, text: [...indented(lines, column), ''].join(outline.eol).slice(column) + indent }]
  }
  if (!last) return []
  const at = tailOf(outline, last)
  return [
    {
      from: at,
      to: at,
      text: indented(lines, column)
        .map((line) => outline.eol + line)
        .join(''),
    },
  ]
}

/** Puts the first member into a text without any. */
export const addedToNothing = ({ text, eol, tree }: Outline, member: Added, style: Style): readonly Splice[] => {
  const lines = linesOf(member, style).join(eol)
  const [from, to] = tree.range(tree.root) ?? []
  if (from !== undefined && to !== undefined)
    return [
      {
        from,
        to,
        text: style.json ? renderFlow(member.key === undefined ? [member.value] : { [member.key]: member.value }, style) : lines,
      },
    ]
  const isEnded = text === '' || text === '\ufeff' || text.endsWith('\n')
  return [{ from: text.length, to: text.length, text: isEnded ? lines + eol : eol + lines }]
}

const linesOf = ({ key, value }: Added, style: Style): string[] =>
  key === undefined ? renderItem(value, style) : renderMember(key, value, style)

const inBrackets = (
  outline: Outline,
  holder: number,
  entries: readonly Entry[],
  index: number,
  { key, value }: Added,
  style: Style,
): readonly Splice[] => {
  const text = key === undefined ? renderFlow(value, style) : flowMember(key, value, style)
  const next = entries[index]
  if (next) return [{ from: next.from, to: next.from, text: `${text},${gapBefore(outline, next)}` }]
  const last = entries.at(-1)
  if (!last) {
    const [from, to] = outline.tree.range(holder) ?? [0, 0]
    const pad = (key === undefined ? style.padsLists : style.padsMaps) ? ' ' : ''
    return [{ from: from + 1, to: to - 1, text: pad + text + pad }]
  }
  const comma = outline.skip(last.to)
  const hasComma = outline.text[comma] === ','
  const end = hasComma ? comma + 1 : last.to
  if (!outline.beginsLine(last.from) || !outline.endsLine(end)) return [{ from: last.to, to: last.to, text: `, ${text}` }]
  const lineEnd = outline.lineEnd(end)
  const below = { from: lineEnd, to: lineEnd, text: `${gapBefore(outline, last)}${text}${hasComma ? ',' : ''}` }
  return hasComma ? [below] : [{ from: last.to, to: last.to, text: ',' }, below]
}

/** What stands between a comma and a new member: a line end where members have lines of their own. */
const gapBefore = (outline: Outline, { from }: Entry): string =>
  outline.beginsLine(from) ? outline.eol + outline.text.slice(outline.lineStart(from), from) : ' '
