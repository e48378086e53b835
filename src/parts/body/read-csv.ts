/** Reads comma-separated values strictly, as RFC 4180 has them. */

/** The rows, each with the number of the line on which it begins, from 1; or a sentence on the first mistake. */
export type CsvRows = { readonly rows: readonly { readonly line: number; readonly fields: readonly string[] }[] } | { readonly why: string }

/**
 * Reads the rows of a text. Fields are separated by commas and rows by line ends (CRLF or LF). A field in quotes may have both, and `""` for
 * a quote. Empty lines at the end are passed over. `maxRows`: with more, the result is that there are more than `maxRows` rows.
 */
export const readCsv = (text: string, maxRows: number): CsvRows | 'too many' => {
  const end = endOfRows(text)
  const rows: { line: number; fields: string[] }[] = []
  let line = 1
  let at = 0
  while (at < end) {
    if (rows.length === maxRows) return 'too many'
    const row = { line, fields: [] as string[] }
    rows.push(row)
    for (;;) {
      const field = text[at] === '"' ? quotedField(text, at, end) : plainField(text, at, end)
      if ('why' in field) return { why: `line ${line}: ${field.why}` }
      row.fields.push(field.value)
      line += field.lines
      at = field.end
      if (text[at] !== ',') break
      at++
    }
    if (text[at] === '\r') at++
    at++
    line++
  }
  return { rows }
}

/** A field; `end` is the index of the comma or line end behind it. `lines`: the line ends in it. */
type Field = { readonly value: string; readonly end: number; readonly lines: number } | { readonly why: string }

const plainField = (text: string, from: number, end: number): Field => {
  let at = from
  for (; at < end; at++) {
    const unit = text[at]
    if (unit === ',' || unit === '\n' || (unit === '\r' && text[at + 1] === '\n')) break
    if (unit === '"') return { why: 'a quote in a field that does not begin with one' }
    if (unit === '\r') return { why: 'a carriage return without a line feed' }
  }
  return { value: text.slice(from, at), end: at, lines: 0 }
}

const quotedField = (text: string, from: number, end: number): Field => {
  let at = from + 1
  for (;;) {
    at = text.indexOf('"', at)
    if (at === -1 || at >= end) return { why: 'a quoted field that does not end' }
    if (text[at + 1] !== '"') break
    at += 2
  }
  const inner = text.slice(from + 1, at)
  const next = at + 1
  if (next < end && text[next] !== ',' && text[next] !== '\n' && !text.startsWith('\r\n', next))
    return { why: 'text behind a quoted field' }
  return { value: inner.replaceAll('""', '"'), end: next, lines: inner.split('\n').length - 1 }
}

/** Returns the index behind the last row, without the line ends that follow it. */
const endOfRows = (text: string): number => {
  let end = text.length
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1
  return end
}
