/** Which lines are a member's own. */

import type { Entry, Outline } from './outline.ts'

/** The end of a member's last line: with the comment behind it, and the comments below it that stand further right than the member. */
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

/** Where a member begins with the comment lines right above it. They must stand as far right as it does. */
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
