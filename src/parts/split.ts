/** Splits a text into messages that a platform takes: at a paragraph, a line, a word or a grapheme, with code fences closed and opened again. */

export type Unit = 'utf16' | 'characters' | 'bytes'
export type Limit = { readonly max: number; readonly unit: Unit }

/** Nobody reads more messages in a row; what is past them is cut, and it is said. */
const maxParts = 30
const cutMark = '\n[cut: the text was longer]'
const closing = '\n```'
/** An opening fence with a longer word after it is opened again without the word. */
const maxInfo = 20

const sizeOf = (unit: Unit, char: string): number => (unit === 'utf16' ? char.length : unit === 'bytes' ? Buffer.byteLength(char) : 1)

/** The length of a text in a platform's own unit. */
export const lengthIn = (unit: Unit, text: string): number => {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  let count = 0
  for (const _ of text) count++
  return count
}

/** Messages in order, each well-formed, not blank and no longer than the limit (which is some 100 at least); none for a blank text. */
export const splitText = (text: string, { max, unit }: Limit): string[] => {
  // Encoding and back replaces lone surrogates, which platforms refuse.
  let rest = Buffer.from(text).toString().trimEnd()
  const parts: string[] = []
  let fence = ''
  while (rest.trim() !== '') {
    if (lengthIn(unit, fence) + lengthIn(unit, rest) <= max) return [...parts, fence + rest]
    const last = parts.length === maxParts - 1
    const room = max - lengthIn(unit, fence) - closing.length - (last ? cutMark.length : 0)
    const end = boundary(rest, fitting(rest, room, unit))
    const part = fence + rest.slice(0, end).trimEnd()
    const open = openFence(part)
    const closed = open === undefined ? part : part + closing
    if (last) return [...parts, closed + cutMark]
    if (closed.trim() !== '') parts.push(closed)
    rest = rest.slice(end).replace(/^(?:[ \t]*\r?\n)+|^ /, '')
    fence = open ?? ''
  }
  return parts
}

/** How many UTF-16 units of a text take up at most `max` of a unit, whole characters only. */
const fitting = (text: string, max: number, unit: Unit): number => {
  let end = 0
  let size = 0
  for (const char of text) {
    size += sizeOf(unit, char)
    if (size > max) return end
    end += char.length
  }
  return end
}

/** Where to cut at or before `end`: the coarsest place in the last two thirds, else between graphemes. */
const boundary = (text: string, end: number): number => {
  const from = Math.floor(end / 3)
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, end)
    if (at > from) return at
  }
  return graphemeBefore(text, end)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Longer graphemes than this are made up by somebody. */
const longestGrapheme = 200

const graphemeBefore = (text: string, end: number): number => {
  const from = Math.max(0, end - longestGrapheme)
  const start = isTrail(text.charCodeAt(from)) ? from + 1 : from
  let last = 0
  for (const { index } of graphemes.segment(text.slice(start, end + longestGrapheme))) {
    if (start + index > end) break
    last = start + index
  }
  return last > start ? last : end
}

const isTrail = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** What opens the fence again that is open at the end of a text; `undefined` when none is. */
const openFence = (text: string): string | undefined => {
  let open: string | undefined
  for (const [, info = ''] of text.matchAll(/^ {0,3}```([^`\n]*)$/gm)) {
    const word = info.trim()
    open = open === undefined ? `\`\`\`${word.length <= maxInfo ? word : ''}\n` : undefined
  }
  return open
}
