/**
 * Splits the bytes of a multipart body at its boundary (RFC 2046 5.1.1). Nothing is copied: the contents are views of the body. The time is
 * linear in the size of the body, because a stranger may send it before a signature is checked.
 */

/** Returns the boundary that the first line of a multipart body shows; `undefined` for any other body. */
export const boundaryOf = (body: string): string | undefined => /^\s*--([^\r\n"]{1,70})\r?\n/.exec(body)?.[1]

/** A part: its header lines as one text, and its content. */
export type BodyPart = { readonly head: string; readonly content: Buffer }

/** The most parts of a body. The mail with the most fields has some forty, and a file more for each attachment. */
export const maxParts = 1_000
const maxHeadBytes = 8 * 1024
const headEnd = Buffer.from('\r\n\r\n')
const [lineFeed, carriageReturn, blank, tab, dash] = [0x0a, 0x0d, 0x20, 0x09, 0x2d]

/** Returns the parts in order; `malformed` where the body does not keep to the form, or is cut off; `too many` past 1,000 parts. */
export const splitParts = (body: Buffer, boundary: string): readonly BodyPart[] | 'malformed' | 'too many' => {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  let at = 0
  while (body[at] === carriageReturn || body[at] === lineFeed) at++
  // No line break stands before the first delimiter.
  if (!body.subarray(at, at + delimiter.length - 2).equals(delimiter.subarray(2))) return 'malformed'
  let line = endOfLine(body, at + delimiter.length - 2)
  const parts: BodyPart[] = []
  while (line && !line.isLast) {
    if (parts.length === maxParts) return 'too many'
    // The line break of the delimiter is searched too, so that a part without a head is found to have none.
    const headLength = body.subarray(line.end - 2, line.end + maxHeadBytes).indexOf(headEnd) - 2
    if (headLength < 1) return 'malformed'
    const from = line.end + headLength + headEnd.length
    const next = findDelimiter(body, delimiter, from)
    if (!next) return 'malformed'
    parts.push({ head: body.toString('utf8', line.end, line.end + headLength), content: body.subarray(from, next.at) })
    line = next.line
  }
  return line ? parts : 'malformed'
}

/** The end of the line of a delimiter. `end`: the index after the line. `isLast`: the delimiter ends the body. */
type DelimiterLine = { readonly end: number; readonly isLast: boolean }

/** Reads the rest of the line of a delimiter; `undefined` where this rest has more than blanks, so that the line is no delimiter. */
const endOfLine = (body: Buffer, from: number): DelimiterLine | undefined => {
  if (body[from] === dash && body[from + 1] === dash) return { end: body.length, isLast: true }
  let at = from
  while (body[at] === blank || body[at] === tab) at++
  return body[at] === carriageReturn && body[at + 1] === lineFeed ? { end: at + 2, isLast: false } : undefined
}

/**
 * Finds the next delimiter after the beginning of a content (`from`). `undefined`: the body has none, or readers could disagree about it.
 * Some readers take a line that only begins like a delimiter for a delimiter (RFC 2046 5.1.1), and some take a content that begins with one
 * as empty.
 */
const findDelimiter = (
  body: Buffer,
  delimiter: Buffer,
  from: number,
): { readonly at: number; readonly line: DelimiterLine } | undefined => {
  const at = body.indexOf(delimiter, from - 2)
  const line = at < from ? undefined : endOfLine(body, at + delimiter.length)
  return line && { at, line }
}
