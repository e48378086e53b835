/** Finds the lines of comment that belong to a member of a map or list, so that they are moved or removed with the member. */

import type { Outline, OutlineEntry } from './outline.ts'

/**
 * Returns the offset of the end of a member's last line. To the member belong the comment on its last line, and the comment lines below it
 * that begin further to the right than the member.
 */
export const tailOf = (outline: Outline, { from, to }: OutlineEntry): number => {
  const column = outline.columnAt(from)
  let end = outline.lineEnd(to)
  for (let at = outline.nextLine(end); at < outline.text.length; at = outline.nextLine(at)) {
    const line = outline.text.slice(at, outline.lineEnd(at))
    const isOwn = /^ *#/.test(line) && line.indexOf('#') > column
    if (isOwn) end = outline.lineEnd(at)
    else if (line.trim() !== '') break
  }
  return end
}

/**
 * Returns the offset where a member begins, with the comment lines right above it that begin in the column of the member. The offset is
 * never before `lowest`.
 */
export const headOf = (outline: Outline, { from }: OutlineEntry, lowest: number): number => {
  if (!outline.beginsLine(from)) return from
  const column = outline.columnAt(from)
  let begin = from
  for (let at = outline.lineStart(from); at > lowest; ) {
    at = outline.lineStart(at - 1)
    const line = outline.text.slice(at, outline.lineEnd(at))
    if (at < lowest || !/^ *#/.test(line) || line.indexOf('#') !== column) break
    begin = at + column
  }
  return begin
}
