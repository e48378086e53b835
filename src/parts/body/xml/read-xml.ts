/**
 * Reads an XML body as a payload. The root element is the only key. An element with text alone is that text, without blanks around it; any
 * other is a map, in which attributes are `@name`, elements their names, and text beside these is `#text`. Names that stand several times
 * in a map are a list. All values are texts, so that numbers keep their digits and zeros.
 */

import { createRequire } from 'node:module'
import type { X2jOptions } from 'fast-xml-parser'
import type { Json } from '../../../core/json.ts'
import type { Content } from '../../../core/request.ts'
import { decodeUtf8 } from '../decode-utf8.ts'
import { markupFault } from './check-markup.ts'

type Library = typeof import('fast-xml-parser')

const require = createRequire(import.meta.url)
let library: Library | undefined
/** Loads the library at the first body of XML, because few routes get any. */
const loadLibrary = (): Library => {
  library ??= require('fast-xml-parser') as Library
  return library
}

/**
 * The most bytes of a body of XML. The library adds texts, names and values up letter by letter: a megabyte takes it a third of a second
 * and fifty megabytes of memory. No sender posts nearly as much.
 */
const maxBytes = 2_097_152
/** The deepest nesting of elements. */
const maxDepth = 100
const textKey = '#text'
const cdataKey = '#cdata'
const attributesKey = ':@'

/** Entities stay as they are written, because the library knows no difference between a text and a CDATA section; `decoded` reads them. */
const options: X2jOptions = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  cdataPropName: cdataKey,
  // The library counts the elements around an element.
  maxNestedTags: maxDepth - 1,
  // Names such as `toString` are kept: they become own properties of plain maps here.
  onDangerousProperty: (name) => name,
}

/** An element as the library gives it: its children by its name, and its attributes. A text has its key in place of the name. */
type XmlNode = { readonly [name: string]: readonly XmlNode[] | string } & { readonly [attributesKey]?: { readonly [name: string]: string } }

/** What keeps a body from being read. Its message quotes nothing of the body. */
class Unreadable extends Error {}

/**
 * Reads a body that begins with `<`. The content is unread where the body is malformed, not UTF-8 or too long, or has a document type or
 * too many nodes.
 */
export const readXml = (body: Buffer): Content => {
  if (body.length > maxBytes) return tooMuch(`more than ${maxBytes} bytes`)
  const text = decodeUtf8(body)
  if (text === undefined) return unread('it is not UTF-8')
  const fault = markupFault(text)
  if (fault) return fault.tooMany ? tooMuch(fault.why) : unread(fault.why)
  try {
    const payload = payloadOf(text)
    return { kind: 'xml', text: JSON.stringify(payload), payload }
  } catch (error) {
    return unread(error instanceof Unreadable ? error.message : `it is malformed, or nested deeper than ${maxDepth} elements`)
  }
}

const unread = (why: string): Content => ({ kind: 'unread', why: 'not JSON', detail: `XML: ${why}` })
const tooMuch = (why: string): Content => ({ kind: 'unread', why: 'too many', detail: `XML: ${why}` })

const payloadOf = (text: string): Json => {
  const { XMLParser, XMLValidator } = loadLibrary()
  // The parser passes over mistakes, such as an element that is not closed. The validator finds them.
  const valid = XMLValidator.validate(text)
  if (valid !== true) throw new Unreadable(`malformed at line ${valid.err.line}, column ${valid.err.col}`)
  const roots = new XMLParser(options).parse(text) as readonly XmlNode[]
  // Neither of them minds text behind a root element that is empty (`<a/>text`).
  if (/\S/.test(text.slice(text.lastIndexOf('>') + 1))) throw new Unreadable('text behind its root element')
  const [root, another] = roots.filter((node) => nameOf(node) !== textKey)
  if (root === undefined || another !== undefined) throw new Unreadable('it has not exactly one root element')
  return Object.fromEntries([[nameOf(root), jsonOf(root)]])
}

const nameOf = (node: XmlNode): string => Object.keys(node).find((key) => key !== attributesKey) ?? ''

const childrenOf = (node: XmlNode): readonly XmlNode[] => node[nameOf(node)] as readonly XmlNode[]

/** Returns the value of an element. The parser has bounded its depth. */
const jsonOf = (element: XmlNode): Json => {
  const members = new Map<string, Json[]>()
  const add = (name: string, value: Json): void => {
    const known = members.get(name)
    if (known) known.push(value)
    else members.set(name, [value])
  }
  for (const [name, value] of Object.entries(element[attributesKey] ?? {})) add(`@${name}`, decoded(value))
  const texts: string[] = []
  for (const child of childrenOf(element)) {
    const name = nameOf(child)
    if (name === textKey) texts.push(decoded(child[textKey] as string))
    else if (name === cdataKey) texts.push(...childrenOf(child).map((each) => each[textKey] as string))
    else add(name, jsonOf(child))
  }
  const text = texts.join('').trim()
  if (members.size === 0) return text
  if (text !== '') add(textKey, text)
  return Object.fromEntries([...members].map(([name, all]) => [name, all.length === 1 ? (all[0] as Json) : all]))
}

const predefined: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

/** Decodes the five predefined entities and references to characters. Throws for any other entity, which only a document type defines. */
const decoded = (text: string): string =>
  text.includes('&') ? text.replace(/&([^;&\s]{1,10});|&/g, (_, name: string | undefined) => characterOf(name)) : text

const characterOf = (name = ''): string => {
  const known = predefined.get(name)
  if (known !== undefined) return known
  const [, hex, decimal] = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? []
  const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal)
  if (!isXmlCharacter(code)) throw new Unreadable('an entity that XML does not define')
  return String.fromCodePoint(code)
}

const isXmlCharacter = (code: number): boolean =>
  code === 0x9 ||
  code === 0xa ||
  code === 0xd ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff)
