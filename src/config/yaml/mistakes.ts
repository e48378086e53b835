/**
 * Finds every mistake of syntax in a YAML text, not only the first. The parser stops at a mistake, so the text is read again without the
 * lines of the mistake, which become blanks: every other character keeps its offset. What is left is the rest of the text.
 */

import { YAMLException } from 'js-yaml'
import { maxDepth } from './json-place.ts'
import { indentOf, lineEnd, lineStart, openAt } from './open-at.ts'
import { reasonOf } from './reasons.ts'
import { type SyntaxSlip, slipAt } from './slip.ts'
import type { Range } from './yaml-tree.ts'

/** A mistake of syntax. `lines`: the lines that cannot be read because of it; `undefined` where nothing behind it can be read. */
export type Mistake = SyntaxSlip & { readonly lines?: Range | undefined }

/** What was found in a text that is no YAML. `rest`: absent where the text is not understood without its mistakes either. */
export type Mistakes<T> = {
  readonly mistakes: readonly Mistake[]
  readonly rest?: { readonly text: string; readonly read: T; readonly lost: readonly Mistake[] }
}

const maxMistakes = 20
/** The most characters that are read in search of the mistakes of one text, so that a large file is read a few times only. */
const maxRead = 64 * 1024 * 1024

/** Returns the mistakes of a text. `read`: reads a text, and throws at a mistake. `first`: what it has thrown for this text. */
export const mistakesIn = <T>(text: string, first: unknown, read: (text: string) => T): Mistakes<T> => {
  const mistakes: Mistake[] = []
  const lost: Mistake[] = []
  let left = text
  let error = first
  while (lost.length < maxMistakes && (lost.length === 0 || lost.length * text.length < maxRead)) {
    const mistake = mistakeOf(left, error)
    if (!isConsequence(left, mistake, text, lost)) mistakes.push(mistake)
    if (!mistake.lines) return { mistakes }
    lost.push(mistake)
    left = blanked(left, mistake.lines)
    try {
      return { mistakes, rest: { text: left, read: read(left), lost } }
    } catch (next) {
      error = next
    }
  }
  return { mistakes: [...mistakes, { ...mistakeOf(left, error), ...tooMany }] }
}

const tooMany = {
  message: 'the file has too many mistakes: what stands from here on was not read',
  help: 'mend those above, and look again',
}

const blanked = (text: string, [from, to]: Range): string =>
  text.slice(0, from) + text.slice(from, to).replace(/[^\r\n]/g, ' ') + text.slice(to)

const mistakeOf = (text: string, error: unknown): Mistake => {
  if (!(error instanceof YAMLException)) return { at: 0, ...reasonOf('') }
  const at = error.mark?.position ?? 0
  const reason = withoutQuotes(error.reason)
  const slip = slipAt(text, at, reason) ?? { at, ...reasonOf(reason) }
  return { ...slip, lines: endsReading.test(reason) ? undefined : linesOf(text, slip) }
}

/** Matches the reasons behind which nothing can be read. */
const endsReading = /more than one document|nested deeper|aliases stand for/

/** Cuts the parser's message where it quotes the text, because a secret may stand there. */
const withoutQuotes = (message: string): string =>
  message.startsWith('nesting exceeded') ? `lists and maps are nested deeper than ${maxDepth}` : message.replace(/[:\s]*(?:"|!<|: ).*/s, '')

/** Whether a mistake only follows from another: an alias whose anchor stands in the lines that the other mistake made unreadable. */
const isConsequence = (left: string, { at }: Mistake, text: string, lost: readonly Mistake[]): boolean => {
  const [, name] = /^\*([^\s,[\]{}]+)/.exec(left.slice(at, at + 200)) ?? []
  return name !== undefined && lost.some(({ lines: [from, to] = [0, 0] }) => text.slice(from, to).includes(`&${name}`))
}

/**
 * Returns the lines that are lost by a mistake: those of the member of a map or list that has it. `undefined` where nothing is left there.
 */
const linesOf = (text: string, { at: found, begin, end, open, siblings }: SyntaxSlip): Range | undefined => {
  const at = text.slice(found).trim() === '' ? text.trimEnd().length - 1 : found
  const from = lineStart(text, Math.max(0, Math.min(begin ?? at, at)))
  const to = end ?? memberEnd(text, lineStart(text, at), siblings === true)
  const lines = open ? ([from, to] as const) : closed(text, [from, to])
  return text.slice(...lines).trim() === '' ? undefined : lines
}

/** Returns the end of the member that begins on a line: the lines below that are indented more, or close its bracket, belong to it. */
const memberEnd = (text: string, from: number, withSiblings: boolean): number => {
  const indent = indentOf(text, from)
  let end = lineEnd(text, from)
  for (let at = end + 1; at < text.length; at = lineEnd(text, at) + 1) {
    const line = text.slice(at, lineEnd(text, at))
    const column = indentOf(text, at)
    const isOwn = column > indent || (column === indent && (withSiblings || /^\s*[\]}]/.test(line)))
    if (isOwn && line.trim() !== '') end = lineEnd(text, at)
    else if (line.trim() !== '') break
  }
  return end
}

/** The most characters that the quotes and brackets of a mistake are looked for in. */
const maxAround = 10_000

/** Returns the lines with those that have the other end of a quote or bracket. */
const closed = (text: string, [from, to]: Range): Range => {
  const start = Math.max(0, lineStart(text, from - maxAround))
  const around = text.slice(start, to + maxAround)
  const before = openAt(around, from - start)
  const behind = openAt(around, to - start)
  const opening = before.find(({ at }) => !behind.some((each) => each.at === at))
  const begin = opening ? lineStart(text, start + opening.at) : from
  const open = behind.find(({ at }) => at >= begin - start)
  return [begin, open ? (closedAt(around.slice(open.at), to - start - open.at) ?? to - start - open.at) + start + open.at : to]
}

/**
 * Returns the end of the line, from `from` on, in which the quote or bracket is closed that a text begins with; `undefined` where none is.
 */
const closedAt = (text: string, from: number): number | undefined => {
  const isOpen = (to: number): boolean => openAt(text, to).some(({ at }) => at === 0)
  if (isOpen(text.length)) return undefined
  let low = from
  let high = text.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isOpen(middle)) low = middle + 1
    else high = middle
  }
  return lineEnd(text, low)
}
