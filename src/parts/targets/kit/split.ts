/** Splits a text into messages that a platform takes: at a paragraph, a line, a word or a grapheme, with code fences closed and opened again. */

/** `json`: bytes of UTF-8 as they stand between the quotes of a JSON text, for limits on a whole body. */
export type Unit = 'utf16' | 'characters' | 'bytes' | 'json'
export type Limit = { readonly max: number; readonly unit: Unit }

/** Nobody reads more messages in a row. The rest of the text is cut off, and the last message says so. */
const maxParts = 30
const cutMark = '\n[cut: the text was longer]'
/** An opening fence with a longer word after it is opened again without the word. */
const fenceWord = /^[\w+#.-]{1,20}$/
/** A line of up to ten backticks; more are no fence but a drawing. Within the line may stand no other. */
const fenceLine = /^ {0,3}(`{3,10})(?!`)([^`]*)$/
const longestClosing = `\n${'`'.repeat(10)}`

const sizeOf = (unit: Unit, char: string): number => (unit === 'characters' ? 1 : lengthIn(unit, char))

/** The length of a text in a platform's own unit. */
export const lengthIn = (unit: Unit, text: string): number => {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  if (unit === 'json') return Buffer.byteLength(JSON.stringify(text)) - 2
  let count = 0
  for (const _ of text) count++
  return count
}

/** Messages in order, each well-formed, not blank and no longer than the limit (which is some 100 at least); none for a blank text. */
export const splitText = (text: string, { max, unit }: Limit): string[] => {
  // Encoding and back replaces lone surrogates, which platforms refuse.
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
    // A message of nothing but blanks is none; skipped at once, for there may be millions of them.
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

/** What is left as one message, when it fits. */
const wholeWithin = (fence: string, rest: string, max: number, unit: Unit): string | undefined => {
  if (fitting(rest, max, unit) < rest.length) return undefined
  const whole = closed(fence + rest, openFence(fence + rest))
  return lengthIn(unit, whole) <= max ? whole : undefined
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
  return graphemeAt(text, end) || end
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Where the grapheme begins that the character at a place belongs to. */
const graphemeAt = (text: string, at: number): number => graphemes.segment(text.slice(0, at + 2)).containing(at)?.index ?? at

/** Without the blank lines that a cut leaves at the front, or the blank; one that carries a mark is no blank. */
const afterCut = (text: string): string => {
  // No pattern does this: a repeat of millions is too deep for the engine.
  const line = text.lastIndexOf('\n', blanksOf(text) - 1) + 1
  if (line > 0) return text.slice(line)
  return text.startsWith(' ') && graphemeAt(text, 1) === 1 ? text.slice(1) : text
}

const afterBlanks = (text: string): string => {
  const at = blanksOf(text)
  return graphemeAt(text.slice(at - 1), 1) === 0 ? text.slice(at - 1) : text.slice(at)
}

/** How many blanks a text begins with. */
const blanksOf = (text: string): number => text.length - text.trimStart().length

type Fence = { readonly mark: string; readonly word: string }

/** The fence that is open at the end of a text; only one as long and with no word closes it (CommonMark 4.5). */
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
