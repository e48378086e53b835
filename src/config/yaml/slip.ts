/** Guesses the mistake in a text that the YAML parser refused, and its offset. No message quotes the text, which may hold a secret. */

import { closingSignOf, indentOf, openAt } from './open-at.ts'

export type SyntaxSlip = { readonly at: number; readonly message: string; readonly help: string }

/**
 * Returns the most likely mistake; `undefined` where nothing better is known than `reason`, the parser's message. `at`: the offset where
 * the parser stopped.
 */
export const slipAt = (text: string, at: number, reason: string): SyntaxSlip | undefined =>
  aliasSlip(text, at, reason) ??
  unclosedSlip(text, at, reason) ??
  unquotedSlip(text, at, reason) ??
  indentSlip(text, at, reason) ??
  columnSlip(at, reason)

const lineAround = (text: string, at: number): { readonly start: number; readonly line: string } => {
  const start = text.lastIndexOf('\n', at - 1) + 1
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
  if (!isEnd && (!staysOpen || !isNewMember(lineAround(text, at).line)) && reason.startsWith('deficient'))
    return { at, message: 'the lines of this value are indented too little', help: 'indent these lines more than the key of the value' }
  return { at: open.at, message: `this ${isQuote ? 'quote' : 'bracket'} is not closed`, help: `add the closing ${closingSignOf(open)}` }
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

/** Finds lines of a block of text (`|` or `>`) that are indented no more than its key. */
const indentSlip = (text: string, at: number, reason: string): SyntaxSlip | undefined => {
  const isKey = reason.includes('multiline key')
  if (!isKey && !reason.startsWith('bad indentation')) return undefined
  const { start, line } = lineAround(text, at)
  // The parser takes lines that are indented too little, and the key below them, for a key of several lines. The line of that key does not
  // count.
  const lines = [...text.slice(0, start).split('\n').slice(0, -1), ...(isKey ? [] : [line])]
  const header = lines.findLastIndex((line) => /[:-]\s+[|>][-+\d]*\s*(?:#.*)?$/.test(line))
  if (header < 0) return undefined
  const offsetOf = (line: number): number => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  const indent = indentOf(text, offsetOf(header))
  const first = lines.findIndex((line, i) => i > header && line.trim() !== '' && indentOf(line, 0) <= indent)
  if (first < 0 || lines.slice(first).some((line) => line.trim() !== '' && isNewMember(line))) return undefined
  return {
    at: offsetOf(first) + indentOf(text, offsetOf(first)),
    message: `this belongs to the text that begins in line ${header + 1}, and is not indented more than its key`,
    help: 'indent these lines',
  }
}

const columnSlip = (at: number, reason: string): SyntaxSlip | undefined =>
  /bad indentation/.test(reason)
    ? { at, message: reason, help: 'the keys of one map, and the items of one list, begin in the same column' }
    : undefined
