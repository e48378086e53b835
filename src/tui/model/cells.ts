/** Fits texts into a width, counted in cells of the terminal: cuts texts, fills them with blanks, or breaks them into lines. */

import { printable } from '../../core/text.ts'
import { charactersOf, isNarrow, widthOf } from './characters.ts'

/** Returns the longest start of a text that is at most `width` cells wide. */
const startThatFits = (text: string, width: number): string => {
  if (isNarrow(text)) return text.slice(0, Math.max(0, width))
  let taken = ''
  let used = 0
  for (const { segment } of charactersOf(text)) {
    used += widthOf(segment)
    if (used > width) break
    taken += segment
  }
  return taken
}

/** Returns a text at exactly this width: cut with an ellipsis, or filled with blanks. The result is safe on a terminal. */
export const cutOrPad = (text: string, width: number): string => {
  const safe = printable(text, 4096)
  const isLong = widthOf(safe) > width
  const shown = isLong && width > 0 ? `${startThatFits(safe, width - 1)}…` : startThatFits(safe, width)
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)))
}

/**
 * Fits texts that stand beside each other into one width, and returns the same number of texts. Without room, the last texts are cut or
 * empty; with room to spare, the last text is filled with blanks. The results are safe on a terminal.
 */
export const cutOrPadTogether = (texts: readonly string[], width: number): readonly string[] => {
  const safe = texts.map((text) => printable(text, 4096))
  let rest = cutOrPad(safe.join(''), width)
  return safe.map(({ length }, i) => {
    const part = i === safe.length - 1 ? rest : rest.slice(0, length)
    rest = rest.slice(part.length)
    return part
  })
}

/**
 * Breaks a text into lines of at most this width: at a blank, unless the last blank that fits stands in the first third of the line. The
 * lines are safe on a terminal. A line of the text that has more than 20,000 UTF-16 units is cut.
 */
export const wrap = (text: string, width: number): readonly string[] =>
  text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let rest = printable(paragraph.replaceAll('\t', '  '), 20_000)
    while (widthOf(rest) > width && width > 0) {
      const head = startThatFits(rest, width) || rest.slice(0, 1)
      const blank = head.lastIndexOf(' ')
      const at = blank > width / 3 ? blank : head.length
      lines.push(rest.slice(0, at))
      rest = rest.slice(at).trimStart()
    }
    return [...lines, rest]
  })
