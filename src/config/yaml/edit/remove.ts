/** Finds the splices that take a member out of a map or list of a YAML text. */

import type { Splice } from '../splice.ts'
import { tailOf } from './extent.ts'
import type { Outline } from './outline.ts'
import { refusalOfAnchors, type YamlCursor } from './walk.ts'
import type { RefusedEdit } from './yaml-edit.ts'

/**
 * Returns the splices that remove a member. `above`: the member whose value is the map or list around the removed member; `undefined` where
 * that map or list is the value of the whole text.
 */
export const removeSplices = (outline: Outline, spot: YamlCursor, above: YamlCursor | undefined): readonly Splice[] | RefusedEdit => {
  const anchor = refusalOfAnchors(outline, spot.entry.from, spot.entry.to)
  if (anchor) return anchor
  if (outline.isFlow(spot.holder)) return removeFromBrackets(outline, spot)
  if (spot.entries.length === 1) return emptyHolder(outline, spot, above)
  return [removeLines(outline, spot)]
}

/** Removes the lines of a member. Where the member stands right behind a dash, the next member moves up to the dash. */
const removeLines = (outline: Outline, { entry, entries, index }: YamlCursor): Splice => {
  const end = tailOf(outline, entry)
  const next = entries[index + 1]
  if (!outline.beginsLine(entry.from) && next) {
    const below = /[^ \t\r\n]/g
    below.lastIndex = end
    return { from: entry.from, to: below.exec(outline.text)?.index ?? next.from, text: '' }
  }
  const from = lineStartBehindMark(outline, entry.from)
  // Where the text does not end in a line end, the line end before its last line is removed with that line.
  if (end === outline.text.length) return { from: from - (outline.text[from - 2] === '\r' ? 2 : from > 0 ? 1 : 0), to: end, text: '' }
  return { from, to: outline.nextLine(end), text: '' }
}

/** Returns the offset where the line around `at` begins. In the first line, a byte order mark does not count. */
const lineStartBehindMark = (outline: Outline, at: number): number => outline.lineStart(at) || (outline.text.startsWith('\ufeff') ? 1 : 0)

/** Removes the only member of a map or list, which stays as `{}` or `[]`. */
const emptyHolder = (outline: Outline, spot: YamlCursor, above: YamlCursor | undefined): readonly Splice[] => {
  const { entry, holder } = spot
  const empty = outline.tree.isMap(holder) ? '{}' : '[]'
  const after = above?.entry.after
  if (after === undefined || !outline.beginsLine(entry.from)) return [{ from: entry.from, to: tailOf(outline, entry), text: empty }]
  return [{ from: after, to: after, text: ` ${empty}` }, removeLines(outline, spot)]
}

/** Removes a member between brackets or braces, with its comma. */
const removeFromBrackets = (outline: Outline, { holder, entry, entries, index }: YamlCursor): readonly Splice[] => {
  const { text } = outline
  const previous = entries[index - 1]
  const next = entries[index + 1]
  const comma = outline.skip(entry.to)
  const hasComma = text[comma] === ','
  const end = hasComma ? comma + 1 : entry.to
  const ownLines = outline.beginsLine(entry.from) && outline.endsLine(end) && outline.lineEnd(entry.to) === outline.lineEnd(end)
  if (!previous && !next) {
    const [from, to] = outline.tree.range(holder) ?? [entry.from, entry.to]
    const isBare = text.slice(from + 1, entry.from).trim() === '' && text.slice(end, to - 1).trim() === ''
    return [isBare ? { from: from + 1, to: to - 1, text: '' } : { from: entry.from, to: end, text: '' }]
  }
  const own = ownLines
    ? { from: outline.lineStart(entry.from), to: outline.nextLine(end), text: '' }
    : { from: entry.from, to: next ? end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0) : end, text: '' }
  if (next || hasComma || !previous) return [own]
  const before = outline.skip(previous.to)
  const isPlainGap = !/[\n#]/.test(text.slice(previous.to, entry.from))
  return isPlainGap ? [{ from: previous.to, to: entry.to, text: '' }] : [{ from: before, to: before + 1, text: '' }, own]
}
