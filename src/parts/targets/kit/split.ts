/** Splits a text into messages within a platform's limit, so that a code fence that is cut goes on in the next message. */

/** How a platform counts. `json` counts the UTF-8 bytes of the escaped JSON string, for a limit on the whole body. */
export type Unit = 'utf16' | 'characters' | 'bytes' | 'json'
export type Limit = { readonly max: number; readonly unit: Unit }

/** The most messages of one text, because nobody reads more in a row. The rest of the text is cut off, and the last message says so. */
const maxParts = 30
const cutMark = '\n[cut: the text was longer]'
/** The language word after an opening fence. A fence with a longer word is opened again without the word. */
const fenceWord = /^[\w+#.-]{1,20}$/
/** A line that starts with 3 to 10 backticks and has no others. A longer run is a drawing, not a fence. */
const fenceLine = /^ {0,3}(`{3,10})(?!`)([^`]*)$/
const longestClosing = `\n${'`'.repeat(10)}`

const charLength = (unit: Unit, char: string): number => (unit === 'characters' ? 1 : lengthIn(unit, char))

/** The length of a text in a platform's own unit. */
export const lengthIn = (unit: Unit, text: string): number => {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  if (unit === 'json') return Buffer.byteLength(JSON.stringify(text)) - 2
  let count = 0
  for (const _ of text) count++
  return count
}

/** The messages in order. None is blank or longer than the limit, which must be at least about 100. A blank text gives no message. */
export const splitText = (text: string, { max, unit }: Limit): string[] => {
  // Encoding and decoding replaces lone surrogates, which platforms refuse.
  let rest = Buffer.from(text).toString().replaceAll('\r\n', '\n').trimEnd()
  const parts: string[] = []
  let fence = ''
  while (rest !== '') {
    const whole = wholeWithin(fence, rest, max, unit)
    if (whole !== undefined) return [...parts, whole]
    const last = parts.length === maxParts - 1
    const room = max - lengthIn(unit, fence) - lengthIn(unit, longestClosing) - (last ? lengthIn(unit, cutMark) : 0)
    const end = boundary(rest, fitting(rest, room, unit))
    const taken = rest.slice(0, end).trimEnd()
    // A blank message is not sent. All blanks are skipped in one step, because there may be millions of them.
    if (taken === '') rest = afterBlanks(rest)
    else {
      const part = fence + taken
      const open = openFence(part)
      if (last) return [...parts, closed(part, open) + cutMark]
      parts.push(closed(part, open))
      rest = afterCut(rest.slice(end))
      fence = open === undefined ? '' : `${open.mark}${open.word}\n`
    }
  }
  return parts
}

/** The rest of the text as one message; `undefined` when the rest is too long. */
const wholeWithin = (fence: string, rest: string, max: number, unit: Unit): string | undefined => {
  if (fitting(rest, max, unit) < rest.length) return undefined
  const whole = closed(fence + rest, openFence(fence + rest))
  return lengthIn(unit, whole) <= max ? whole : undefined
}

/** How many UTF-16 units of the text fit into `max`, counting whole characters only. */
const fitting = (text: string, max: number, unit: Unit): number => {
  let end = 0
  let size = 0
  for (const char of text) {
    size += charLength(unit, char)
    if (size > max) return end
    end += char.length
  }
  return end
}

/** Where to cut, at or before `end`: at a paragraph, line or word in the last two thirds, else between two graphemes. */
const boundary = (text: string, end: number): number => {
  const from = Math.floor(end / 3)
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, end)
    if (at > from) return at
  }
  return graphemeAt(text, end) || end
}

/** The index where the grapheme begins that contains the character at `at`. The tables that this needs are slow to load, so no start does it. */
const graphemeAt = (text: string, at: number): number => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text.slice(0, at + 2)).containing(at)?.index ?? at
}

/** Removes the blank lines, or the one blank, that a cut leaves at the front. A blank with a combining mark on it stays. */
const afterCut = (text: string): string => {
  // A regular expression would overflow its stack on millions of blanks.
  const line = text.lastIndexOf('\n', blanksOf(text) - 1) + 1
  if (line > 0) return text.slice(line)
  return text.startsWith(' ') && graphemeAt(text, 1) === 1 ? text.slice(1) : text
}

const afterBlanks = (text: string): string => {
  const at = blanksOf(text)
  return graphemeAt(text.slice(at - 1), 1) === 0 ? text.slice(at - 1) : text.slice(at)
}

/** How many blanks are at the front of a text. */
const blanksOf = (text: string): number => text.length - text.trimStart().length

type Fence = { readonly mark: string; readonly word: string }

/** The fence that is open at the end of a text. A fence is closed by one that is as long or longer and has no word (CommonMark 4.5). */
const openFence = (text: string): Fence | undefined => {
  let open: Fence | undefined
  for (const line of text.split('\n')) {
    const [, mark = '', info = ''] = fenceLine.exec(line) ?? []
    if (mark === '') continue
    const word = info.trim()
    if (open === undefined) open = { mark, word: fenceWord.test(word) ? word : '' }
    else if (mark.length >= open.mark.length && word === '') open = undefined
  }
  return open
}

const closed = (text: string, open: Fence | undefined): string => (open === undefined ? text : `${text}\n${open.mark}`)
