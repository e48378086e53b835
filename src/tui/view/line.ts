/** What a screen shows: lines of marked text, cut to the width of the terminal. Nothing here can act on a terminal. */

import { printable } from '../../core/text.ts'
import { charactersOf, isNarrow, widthOf } from '../model/characters.ts'

/** What a text means, by which it is coloured; never by colour alone. */
export type Tone = 'plain' | 'dim' | 'strong' | 'ok' | 'bad' | 'warn' | 'accent'

export type Span = {
  readonly text: string
  readonly tone?: Tone
  readonly inverse?: boolean
  readonly underline?: boolean
  /** Of the list that the cursor is in: the place of its row. */
  readonly row?: number
}
export type Line = readonly Span[]

/** One line of safe text: control characters of payloads and files are shown, not sent. */
export const span = (text: string, tone: Tone = 'plain', more: Pick<Span, 'inverse' | 'underline'> = {}): Span => ({
  text: printable(text, 4096),
  tone,
  ...more,
})

export const line = (...parts: readonly (string | Span)[]): Line => parts.map((part) => (typeof part === 'string' ? span(part) : part))

export const lineWidth = (spans: Line): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0)

/** The longest start of a text that is at most so wide. */
const headOf = (text: string, width: number): string => {
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

/** The line at exactly this width: cut with an ellipsis, or filled with blanks. */
export const fit = (spans: Line, width: number, ellipsis = '…'): Line => {
  const isLong = lineWidth(spans) > width
  const room = Math.max(0, isLong ? width - widthOf(ellipsis) : width)
  const kept: Span[] = []
  let used = 0
  for (const each of spans) {
    const text = headOf(each.text, room - used)
    if (text !== '') kept.push(text === each.text ? each : { ...each, text })
    used += widthOf(text)
    if (text !== each.text) break
  }
  const end = isLong && width > 0 ? ellipsis : ''
  const blanks = ' '.repeat(Math.max(0, width - used - widthOf(end)))
  return end + blanks === '' ? kept : [...kept, { text: end + blanks }]
}

/** A text in cells of this width, filled or cut. */
export const cell = (text: string, width: number, tone: Tone = 'plain'): Span => {
  const [first = span(''), ...rest] = fit([span(text, tone)], width)
  return { ...first, text: [first, ...rest].map((each) => each.text).join('') }
}

/** A text broken into lines of at most this width, at blanks where there are any. */
export const wrap = (text: string, width: number): readonly string[] =>
  text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let rest = printable(paragraph.replaceAll('\t', '  '), 20_000)
    while (widthOf(rest) > width && width > 0) {
      const head = headOf(rest, width) || rest.slice(0, 1)
      const blank = head.lastIndexOf(' ')
      const at = blank > width / 3 ? blank : head.length
      lines.push(rest.slice(0, at))
      rest = rest.slice(at).trimStart()
    }
    return [...lines, rest]
  })

/** The whole line, marked as the one that the cursor is on: one even bar, for tones of their own would show in it as gaps. */
export const selected = (spans: Line, width: number): Line => [{ text: plainText(fit(spans, width)), tone: 'plain', inverse: true }]

/** Lines beside each other, with a bar between them; the shorter side is filled up. */
export const beside = (left: readonly Line[], right: readonly Line[], width: number, leftWidth: number, bar = '│'): readonly Line[] => {
  const rightWidth = width - leftWidth - 3
  const height = Math.max(left.length, right.length)
  return Array.from({ length: height }, (_, i) => [
    ...fit(left[i] ?? [], leftWidth),
    { text: ` ${bar} `, tone: 'dim' as const },
    ...fit(right[i] ?? [], rightWidth),
  ])
}

export const plainText = (spans: Line): string => spans.map(({ text }) => text).join('')
