/** Splits a template into texts and placeholders. Braces that do not make a placeholder are text. */

/** A piece of a template. `raw` is `{__raw__}`, the whole payload. `written`: the placeholder with its braces. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'raw' }
  | { readonly kind: 'path'; readonly path: string; readonly written: string }
  | { readonly kind: 'expression'; readonly source: string; readonly written: string }

// A path has no double quotes, braces or line breaks, and no blank at either end. So `{"a": 1}`, `{ x }` and `{}` are text.
const pathForm = /^[^\s"{}](?:[^\r\n"{}]*[^\s"{}])?$/

/** Returns the index after a quoted text, a name in backticks or a comment that begins at `from`; `from` where none begins. */
const afterOpaque = (text: string, from: number): number => {
  const mark = text[from]
  if (mark === '/' && text[from + 1] === '*') {
    const end = text.indexOf('*/', from + 2)
    return end < 0 ? text.length : end + 2
  }
  if (mark !== '"' && mark !== "'" && mark !== '`') return from
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '\\' && mark !== '`') i++
    else if (text[i] === mark) return i + 1
  }
  return text.length
}

/** Returns the index of the brace that closes the brace at `from`; -1 when braces or quotes do not balance. */
const closingBrace = (text: string, from: number): number => {
  let depth = 0
  let i = from
  while (i < text.length) {
    const next = afterOpaque(text, i)
    if (next > i) {
      i = next
      continue
    }
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i
    i++
  }
  return -1
}

const pieceOf = (written: string): Piece | undefined => {
  const inner = written.slice(1, -1)
  if (inner.startsWith('=')) return { kind: 'expression', source: inner.slice(1), written }
  if (inner === '__raw__') return { kind: 'raw' }
  return pathForm.test(inner) ? { kind: 'path', path: inner, written } : undefined
}

/** Returns the pieces of a template, in order. An expression without an end is reported and stays text. */
export const parseTemplate = (text: string, report: (message: string) => void = () => {}): Piece[] => {
  const pieces: Piece[] = []
  let copied = 0
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', Math.max(at + 1, copied))) {
    const isExpression = text[at + 1] === '='
    const end = isExpression ? closingBrace(text, at) : text.indexOf('}', at)
    if (end < 0) {
      if (!isExpression) break
      report('an expression "{=" has no closing brace: braces and quotes inside it must balance')
      continue
    }
    const piece = pieceOf(text.slice(at, end + 1))
    if (!piece) continue
    if (at > copied) pieces.push({ kind: 'text', text: text.slice(copied, at) })
    pieces.push(piece)
    copied = end + 1
  }
  if (copied < text.length) pieces.push({ kind: 'text', text: text.slice(copied) })
  return pieces
}

export const isTemplate = (value: unknown): boolean => typeof value === 'string' && parseTemplate(value).some(({ kind }) => kind !== 'text')

/** Returns the placeholders of a template without their braces: paths, `__raw__`, and expressions with a leading `=`. */
export const placeholders = (text: string): string[] =>
  parseTemplate(text).flatMap((piece) => {
    if (piece.kind === 'text') return []
    if (piece.kind === 'raw') return ['__raw__']
    return [piece.kind === 'path' ? piece.path : `=${piece.source}`]
  })

/**
 * Returns the path by which a placeholder reads what the field of a condition reads; `undefined` for a header, which no path of a placeholder
 * reads. The payload alone may have a key `event`, so the type of the event is `event_type` there.
 */
export const placeholderPath = (field: string): string | undefined => {
  if (field.startsWith('headers.')) return undefined
  return field === 'event' ? 'event_type' : field
}
