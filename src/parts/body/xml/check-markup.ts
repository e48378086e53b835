/**
 * Looks through the markup of an XML text before it is parsed: for what makes parsing dangerous (a document type, with its entities), and
 * for more nodes than an event needs. The library parses 20,000 nodes in a fifth of a second.
 */

/** The most elements, attributes, comments and CDATA sections of a body together. */
const maxXmlNodes = 20_000

/** Characters that no XML 1.0 text may have (https://www.w3.org/TR/xml/#charsets). */
const forbiddenCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
/** The name of the encoding in an XML declaration. */
const declaredEncoding = /^<\?xml\s[^?>]*?encoding\s*=\s*["']([^"'<>]{0,40})["']/
const byteOrderMark = '\ufeff'

/** What keeps a text from being parsed. `tooMany`: it has more than 20,000 nodes. */
export type MarkupFault = { readonly why: string; readonly tooMany?: true }

/** Returns what keeps an XML text from being parsed; `undefined` where nothing does. The text may still be malformed. */
export const markupFault = (text: string): MarkupFault | undefined => {
  if (forbiddenCharacter.test(text)) return { why: 'a character that XML does not allow' }
  const encoding = declaredEncoding.exec(text.startsWith(byteOrderMark) ? text.slice(1) : text)?.[1]
  if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) return { why: 'its encoding is not UTF-8' }
  let nodes = 0
  let isProlog = true
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const section = sections.find(({ opens }) => text.startsWith(opens, at))
    if (section) at = behind(text, section.closes, at + section.opens.length)
    else if (text.startsWith('<?', at)) {
      if (!isProlog) return { why: 'a processing instruction inside the root element' }
      at = behind(text, '?>', at)
    } else if (text.startsWith('<!', at)) return { why: 'a document type (<!DOCTYPE>), which may define entities' }
    else if (text.startsWith('</', at)) {
      at = behind(text, '>', at)
      continue
    } else {
      isProlog = false
      const tag = readTag(text, at + 1)
      nodes += tag.parts
      at = tag.end
    }
    if (++nodes > maxXmlNodes) return { why: `more than ${maxXmlNodes} elements and attributes`, tooMany: true }
  }
  return undefined
}

/** The parts of XML in which `<` is no markup. */
const sections = [
  { opens: '<!--', closes: '-->' },
  { opens: '<![CDATA[', closes: ']]>' },
]

/** Returns the index behind the next `end`; the length of the text where there is none. */
const behind = (text: string, end: string, from: number): number => {
  const at = text.indexOf(end, from)
  return at === -1 ? text.length : at + end.length
}

const [doubleQuote, singleQuote, greater, equals] = [...`"'>=`].map((character) => character.charCodeAt(0))

/**
 * Reads a start tag from behind its `<`. `end`: the index behind the tag. `parts`: the number of its equals signs and of its blanks outside
 * of values, at least the number of its attributes.
 */
const readTag = (text: string, from: number): { readonly end: number; readonly parts: number } => {
  let parts = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === greater) return { end: at + 1, parts }
    if (unit === equals) parts++
    else if (unit === 0x20 && text.charCodeAt(at + 1) !== 0x20) parts++
    else if (unit === doubleQuote || unit === singleQuote) at = behind(text, text[at] as string, at + 1) - 1
    if (parts > maxXmlNodes) break
  }
  return { end: text.length, parts }
}
