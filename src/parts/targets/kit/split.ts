/**
 * Splits a text into messages within a platform's limit. Where a cut falls into a fenced code block of Markdown, the message before the cut
 * closes the block, and the message after the cut opens the block again.
 */

/** What a platform counts in a message. `json` counts the UTF-8 bytes of the escaped JSON string, for a limit on the whole body. */
export type LengthUnit = 'utf16' | 'characters' | 'bytes' | 'json'
export type Limit = { readonly max: number; readonly unit: LengthUnit }

/** The most messages of one text, because nobody reads more in a row. Text beyond them is cut off, and the last message says so. */
const maxParts = 30
const cutMark = '\n[cut: the text was longer]'
/** The language after an opening fence, such as `ts`. A fence with any other text is opened again without a language. */
const fenceWord = /^[\w+#.-]{1,20}$/
/** A fence: a line that starts with 3 to 10 backticks and has no others. A longer run of backticks is a drawing, not a fence. */
const fenceLine = /^ {0,3}(`{3,10})(?!`)([^`]*)$/
const longestClosing = `\n${'`'.repeat(10)}`

/** Returns the length of one character, without the loop of `lengthIn` for the unit `characters`. */
const charLength = (unit: LengthUnit, char: string): number => (unit === 'characters' ? 1 : lengthIn(unit, char))

export const lengthIn = (unit: LengthUnit, text: string): number => {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  if (unit === 'json') return Buffer.byteLength(JSON.stringify(text)) - 2
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * Returns the messages of a text, in order. No message is blank, or longer than the limit, which must be at least about 100. A blank text
 * gives no message.
 */
export const splitText = (text: string, { max, unit }: Limit): string[] => {
  // Writing the text as UTF-8 and reading it again replaces lone surrogates, which platforms refuse.
  let rest = Buffer.from(text).toString().replaceAll('\r\n', '\n').trimEnd()
  const parts: string[] = []
  let fence = ''
  while (rest !== '') {
    const whole = lastMessage(fence, rest, max, unit)
    if (whole !== undefined) return [...parts, whole]
    const last = parts.length === maxParts - 1
    const available = max - lengthIn(unit, fence) - lengthIn(unit, longestClosing) - (last ? lengthIn(unit, cutMark) : 0)
    const end = cutIndex(rest, fittingLength(rest, available, unit))
    const taken = rest.slice(0, end).trimEnd()
    // A blank message is not sent. All blanks are skipped in one step, because there may be millions of them.
    if (taken === '') rest = withoutLeadingBlanks(rest)
    else {
      const part = fence + taken
      const open = openFence(part)
      if (last) return [...parts, withClosedFence(part, open) + cutMark]
      parts.push(withClosedFence(part, open))
      rest = withoutCutBlanks(rest.slice(end))
      fence = open === undefined ? '' : `${open.mark}${open.word}\n`
    }
  }
  return parts
}

/** Returns the rest of the text as one message, after the fence that is open; `undefined` when such a message is too long. */
const lastMessage = (fence: string, rest: string, max: number, unit: LengthUnit): string | undefined => {
  if (fittingLength(rest, max, unit) < rest.length) return undefined
  const whole = withClosedFence(fence + rest, openFence(fence + rest))
  return lengthIn(unit, whole) <= max ? whole : undefined
}

/** Returns the number of UTF-16 units at the front of the text that are together at most `max` long in `unit`. No character is cut. */
const fittingLength = (text: string, max: number, unit: LengthUnit): number => {
  let end = 0
  let size = 0
  for (const char of text) {
    size += charLength(unit, char)
    if (size > max) return end
    end += char.length
  }
  return end
}

/**
 * Returns the index at which to cut, at or before `end`: the last end of a paragraph, else of a line, else of a word. An end in the first
 * third does not count, because the message would be short. The cut never splits a grapheme: a blank may be the base of a combining mark.
 */
const cutIndex = (text: string, end: number): number => {
  const from = Math.floor(end / 3)
  const at = ['\n\n', '\n', ' '].map((mark) => text.lastIndexOf(mark, end)).find((at) => at > from) ?? end
  return graphemeAt(text, at) || at
}

/**
 * Returns the index where the grapheme begins that contains the character at `at`. The segmenter is made here, not at the start of the
 * program, because its tables are slow to load.
 */
const graphemeAt = (text: string, at: number): number => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text.slice(0, at + 2)).containing(at)?.index ?? at
}

/** Removes the blank lines, or the one blank, that a cut leaves at the front of a text. A blank with a combining mark on it stays. */
const withoutCutBlanks = (text: string): string => {
  // A regular expression would overflow its stack on millions of blanks.
  const line = text.lastIndexOf('\n', leadingBlanks(text) - 1) + 1
  if (line > 0) return text.slice(line)
  return text.startsWith(' ') && graphemeAt(text, 1) === 1 ? text.slice(1) : text
}

/** Removes all blanks at the front of a text, except a last one with a combining mark on it. */
const withoutLeadingBlanks = (text: string): string => {
  const at = leadingBlanks(text)
  return graphemeAt(text.slice(at - 1), 1) === 0 ? text.slice(at - 1) : text.slice(at)
}

const leadingBlanks = (text: string): number => text.length - text.trimStart().length

type Fence = { readonly mark: string; readonly word: string }

/**
 * Returns the fence that is open at the end of a text; `undefined` where none is open. A fence without a word closes a fence of as many or
 * fewer backticks (CommonMark 4.5).
 */
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

const withClosedFence = (text: string, open: Fence | undefined): string => (open === undefined ? text : `${text}\n${open.mark}`)
