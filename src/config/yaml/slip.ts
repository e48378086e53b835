/** Guesses the mistake in a text that the YAML parser refused, and its offset. No message quotes the text, which may hold a secret. */

import { closingSignOf, indentOf, lineStart, openAt } from './open-at.ts'
import { reasonOf } from './reasons.ts'

export type SyntaxSlip = {
  readonly at: number
  readonly message: string
  readonly help: string
  /** The offsets of the lines that begin and end the value with the mistake, where they are other lines than that of `at`. */
  readonly begin?: number
  readonly end?: number
  /** Whether the value has a quote or bracket that is not closed. */
  readonly open?: true
  /** Whether the members below the mistake, in the same column, belong to it. */
  readonly siblings?: true
}

/**
 * Returns the most likely mistake; `undefined` where nothing better is known than `reason`, the parser's message. `at`: the offset where
 * the parser stopped.
 */
export const slipAt = (text: string, at: number, reason: string): SyntaxSlip | undefined =>
  aliasSlip(text, at, reason) ??
  unclosedSlip(text, at, reason) ??
  unquotedSlip(text, at, reason) ??
  indentSlip(text, at, reason) ??
  colonSlip(text, at, reason) ??
  columnSlip(text, at, reason)

const lineAround = (text: string, at: number): { readonly start: number; readonly line: string } => {
  const start = lineStart(text, at)
  const end = text.indexOf('\n', start)
  return { start, line: text.slice(start, end < 0 ? text.length : end) }
}

/** Whether a line begins a member of a map or list, closes a bracket, or is blank. */
const isNewMember = (line: string): boolean => /^\s*(?:$|-(?:\s|$)|[\]}]|["']?[\w.$-]+["']?\s*:(?:\s|$))/.test(line)

const unclosedSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  if (!/deficient indentation|end of the stream|missed comma|bad indentation|document separator/.test(reason)) return undefined
  const open = openAt(text, at).at(-1) ?? misreadQuote(text, at)
  if (!open) return undefined
  const isQuote = open.sign === '"' || open.sign === "'"
  const staysOpen = isQuote || openAt(text, text.length).some((each) => each.at === open.at)
  const isEnd = at >= text.trimEnd().length
  if (!staysOpen && reason.startsWith('missed comma'))
    return { at: keyStart(text, at), message: 'a comma is missing', help: 'put a comma before this' }
  // Between brackets a line that goes on ends with a comma or an opening bracket.
  const goesOn = !staysOpen && /[,[{]\s*(?:#.*)?$/.test(text.slice(0, at).trimEnd())
  if (!isEnd && (goesOn || !isNewMember(lineAround(text, at).line)) && reason.startsWith('deficient'))
    return { at, message: 'the lines of this value are indented too little', help: 'indent these lines more than the key of the value' }
  return {
    at: open.at,
    open: true,
    message: `this ${isQuote ? 'quote' : 'bracket'} is not closed`,
    help: `add the closing ${closingSignOf(open)}`,
  }
}

/** The number of characters before a colon in which the beginning of the key is searched. The place of a longer key lies inside the key. */
const maxKeyUnits = 200

/** Returns the offset where a key begins: the parser stops at the colon behind it. */
const keyStart = (text: string, at: number): number => {
  if (text[at] !== ':') return at
  const from = Math.max(lineAround(text, at).start, at - maxKeyUnits)
  return from + text.slice(from, at).search(/(?:"[^"]*"|'[^']*'|[\w.$-]+)\s*$|$/)
}

/** Returns an open quote of an earlier line, which the parser closed at the opening quote of a later value. */
const misreadQuote = (text: string, at: number) => {
  const [open] = openAt(text, lineAround(text, at).start + lineAround(text, at).line.length)
  return open && open.at < lineAround(text, at).start && (open.sign === '"' || open.sign === "'") ? open : undefined
}

const aliasSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  if (!/bad indentation|missed comma|name of an alias/.test(reason)) return undefined
  const { start, line } = lineAround(text, at)
  const [star] = [...line.slice(0, at - start + 1).matchAll(/(?:^\s*|[:,?-]\s+|[[{]\s*)(?=\*)/g)].slice(-1)
  return (
    star && {
      at: start + star.index + star[0].length,
      message: 'a text that begins with * is an alias in YAML',
      help: 'put it in quotes, as in "*/5 * * * *"',
    }
  )
}

/** Finds a value that must be put in quotes, or that goes on behind its closing quote. */
const unquotedSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  if (!reason.startsWith('bad indentation')) return undefined
  const { start, line } = lineAround(text, at)
  if (/[@%`]/.test(text[at] ?? '')) return { at, message: 'no text without quotes begins with this sign', help: 'put the text in quotes' }
  if (/(["'])\s+$/.test(line.slice(0, at - start)))
    return { at, message: 'this stands behind a closing quote', help: 'take it out, or put the whole text in quotes of the other kind' }
  const [, head = '', value] = /^(\s*(?:-\s+)*[\w.$-]+:\s+)([^\s"'[{|>&!].*)$/.exec(line.slice(0, at - start)) ?? []
  if (text[at] !== ':' || value === undefined) return undefined
  return { at: start + head.length, message: 'a text without quotes has no colon with a blank behind it', help: 'put the text in quotes' }
}

/** Whether the parser took a line without a colon for a key, perhaps with the lines below it. */
const isKeyReason = (reason: string): boolean => /multiline key|expected ':'/.test(reason)

/** Finds lines of a block of text (`|` or `>`) that are indented no more than its key. */
const indentSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  if (!isKeyReason(reason) && !reason.startsWith('bad indentation')) return undefined
  const { start, line } = lineAround(text, at)
  // The parser takes lines that are indented too little, and the key below them, for a key of several lines. The line of that key does not
  // count.
  const lines = [...text.slice(0, start).split('\n').slice(0, -1), ...(isKeyReason(reason) && isNewMember(line) ? [] : [line])]
  const header = lines.findLastIndex((line) => /[:-]\s+[|>][-+\d]*\s*(?:#.*)?$/.test(line))
  if (header < 0) return undefined
  const offsetOf = (line: number): number => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  const indent = indentOf(text, offsetOf(header))
  const first = lines.findIndex((line, i) => i > header && line.trim() !== '' && indentOf(line, 0) <= indent)
  if (first < 0 || lines.slice(first).some((line) => line.trim() !== '' && isNewMember(line))) return undefined
  return {
    at: offsetOf(first) + indentOf(text, offsetOf(first)),
    begin: offsetOf(header),
    end: offsetOf(lines.length) - 1,
    message: `this belongs to the text that begins in line ${header + 1}, and is not indented more than its key`,
    help: 'indent these lines',
  }
}

/** Finds a line that lacks the colon after its key. The parser may stop only at the key below such a line. */
const colonSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  const isColon = reason.startsWith('bad indentation') && text[at] === ':'
  if (!isKeyReason(reason) && !isColon) return undefined
  const { start, line } = lineAround(text, at)
  const column = indentOf(text, start)
  const isBelow = isNewMember(line)
  let begin = start
  while (begin > 0) {
    const above = lineAround(text, begin - 1)
    if (indentOf(text, above.start) !== column || /^\s*#/.test(above.line) || isNewMember(above.line)) break
    begin = above.start
  }
  if ((isBelow || isColon) && begin === start) return undefined
  return {
    at: begin + column,
    begin,
    end: isBelow ? start - 1 : start + line.length,
    message: 'this key has no colon with a blank behind it',
    help: 'write a colon and a blank behind the key, or indent the line where it belongs to the value above',
  }
}

/** Finds a member in a column of its own, or a line that stands in the right column and is no member. */
const columnSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  if (!reason.startsWith('bad indentation')) return undefined
  const { start } = lineAround(text, at)
  const column = indentOf(text, start)
  let above = start
  while (above > 0) {
    const { start: next, line } = lineAround(text, above - 1)
    above = next
    if (line.trim() !== '' && indentOf(line, 0) <= column) break
  }
  const isAlone = above === start || indentOf(text, above) !== column
  return { at, ...(isAlone ? { siblings: true } : {}), ...reasonOf(reason) }
}
