/**
 * Finds the quotes and brackets that are open at an offset of a YAML text. The parser has refused the text and gives no tokens, so this
 * file reads the text roughly by itself.
 */

/** An open quote or bracket, and its offset. */
export type OpenBracket = { readonly at: number; readonly sign: '"' | "'" | '[' | '{' }

const closingSigns = { '[': ']', '{': '}' } as const

export const closingSignOf = ({ sign }: OpenBracket): string => (sign === '[' || sign === '{' ? closingSigns[sign] : sign)

/**
 * Returns the quotes and brackets that are open at the offset `to`, the outermost first. The search ends early at a closing bracket that
 * does not match: then the bracket that it should close is the last in the list.
 */
export const openAt = (text: string, to: number): readonly OpenBracket[] => {
  const open: OpenBracket[] = []
  /** Whether a value may begin at `at`: inside a plain text a quote or bracket is a letter like any other. */
  let mayBegin = true
  let at = 0
  while (at < to) {
    const { kind, end } = tokenAt(text, at, mayBegin, open.length > 0)
    if (kind === 'quote' && end > to) return [...open, { at, sign: text[at] as OpenBracket['sign'] }]
    if (kind === 'open') open.push({ at, sign: text[at] as OpenBracket['sign'] })
    if (kind === 'close') {
      const last = open.pop()
      if (last && closingSignOf(last) !== text[at]) return [...open, last]
    }
    if (kind !== 'blank') mayBegin = kind === 'open' || kind === 'separator'
    at = end
  }
  return open
}

type Token = { readonly kind: 'blank' | 'quote' | 'open' | 'close' | 'separator' | 'text'; readonly end: number }

const tokenAt = (text: string, at: number, mayBegin: boolean, isFlow: boolean): Token => {
  const sign = text[at] ?? ''
  const next = at + 1
  if (sign === '#' && /^$|\s/.test(text.slice(Math.max(0, at - 1), at))) return { kind: 'blank', end: lineEnd(text, at) }
  if (sign === '\n') return { kind: 'separator', end: next }
  if (/\s/.test(sign)) return { kind: 'blank', end: next }
  if (mayBegin && /["']/.test(sign)) return { kind: 'quote', end: (quoteEnd(text, at, sign) ?? text.length) + 1 }
  if (/[[{]/.test(sign) && (mayBegin || isFlow)) return { kind: 'open', end: next }
  if (/[\]}]/.test(sign) && isFlow) return { kind: 'close', end: next }
  if (/[|>]/.test(sign) && mayBegin && !isFlow) return { kind: 'text', end: blockEnd(text, at) }
  return { kind: isSeparator(sign, text[next] ?? ' ', mayBegin, isFlow) ? 'separator' : 'text', end: next }
}

const isSeparator = (sign: string, next: string, mayBegin: boolean, isFlow: boolean): boolean => {
  if (sign === ',') return isFlow
  if (sign === ':') return /\s/.test(next) || (isFlow && /[,[\]{}"']/.test(next))
  return mayBegin && /[-?]/.test(sign) && /\s/.test(next)
}

/** Returns the offset where the line around an offset begins. */
export const lineStart = (text: string, at: number): number =>
  // A search from before the beginning would look at the first character, and may find a line end there.
  at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1

/** Returns the offset of the line end at or behind an offset, or of the end of the text. */
export const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Returns the offset of the closing quote; `undefined` where the next quote stands in a later line and seems to open the next value. */
const quoteEnd = (text: string, from: number, quote: string): number | undefined => {
  for (let i = from + 1; i < text.length; i++) {
    if (quote === '"' && text[i] === '\\') i++
    else if (text[i] === quote && quote === "'" && text[i + 1] === "'") i++
    else if (text[i] === quote) {
      const opensNextValue =
        text.slice(from, i).includes('\n') &&
        /[:,[{-]\s*$/.test(text.slice(Math.max(from, i - 8), i)) &&
        /[^\s,\]}:#]/.test(text[i + 1] ?? ' ')
      return opensNextValue ? undefined : i
    }
  }
  return undefined
}

/**
 * Returns the offset behind a block of text, whose lines are indented more than the line with its `|` or `>`. `from`: the offset of this
 * sign.
 */
const blockEnd = (text: string, from: number): number => {
  const indent = indentOf(text, lineStart(text, from))
  let at = lineEnd(text, from)
  while (at < text.length) {
    const next = at + 1
    const end = lineEnd(text, next)
    if (text.slice(next, end).trim() !== '' && indentOf(text, next) <= indent) return at
    at = end
  }
  return at
}

export const indentOf = (text: string, lineStart: number): number =>
  /^ */.exec(text.slice(lineStart, lineEnd(text, lineStart)))?.[0].length ?? 0
