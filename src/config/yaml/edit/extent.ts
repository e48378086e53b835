/** Finds the lines that belong to a member. */

import type { Entry, Outline } from './outline.ts'

/** Returns the end of a member's last line. The comment on that line belongs to it, and comments below that stand further right than it. */
export const tailOf = (outline: Outline, { from, to }: Entry): number => {
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

/** Returns the beginning of a member with the comment lines right above it, if they begin in the column of the member. */
export const headOf = (outline: Outline, { from }: Entry, lowest: number): number => {
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
