/**
 * Reads an XML body as a payload. The root element is the only key. An element with text alone is that text, without blanks around it; any
 * other is a map, in which attributes are `@name`, elements their names, and text beside these is `#text`. Names that stand several times
 * in a map are a list. All values are texts, so that numbers keep their digits and zeros.
 *
 * The parser takes what XML 1.0 calls well-formed and nothing else. It reads a text once, from its begin to its end, and every bound is
 * looked at on the way.
 */

import { createRequire } from 'node:module'
import type { SaxesParser } from 'saxes'
import type { Json } from '../../../core/json.ts'
import type { BodyContent } from '../../../core/request.ts'
import { takingTurns } from '../../../core/turns/taking-turns.ts'
import { decodeUtf8 } from '../decode-utf8.ts'

type Library = typeof import('saxes')

const require = createRequire(import.meta.url)
let library: Library | undefined
/** Loads the library at the first body of XML, because few routes get any. */
const loadLibrary = (): Library => {
  library ??= require('saxes') as Library
  return library
}

/** The most bytes of a body of XML. No sender posts nearly as much. */
const maxBytes = 2_097_152
/** The most elements, attributes, comments, CDATA sections and processing instructions of a body together. */
const maxNodes = 20_000
const maxDepth = 100

/** What keeps a body from being read. Its message quotes nothing of the body. `tooMuch`: it is past a bound of its size. */
class Unreadable extends Error {
  readonly tooMuch: boolean

  constructor(message: string, tooMuch = false) {
    super(message)
    this.tooMuch = tooMuch
  }
}

/**
 * Reads a body that begins with `<`. The content is unread where the body is malformed, not UTF-8 or too long, or has a document type or
 * too many nodes.
 */
export const readXml = (body: Buffer): BodyContent => {
  try {
    const text = textOf(body)
    const reading = startReading()
    reading.add(text)
    return reading.end()
  } catch (error) {
    return unread(error)
  }
}

/** The characters that are read between two checks of the time. */
const sliceChars = 8_192

/**
 * As `readXml`, with pauses in which other requests get their turns, because the XML that is hardest to read takes a tenth of a second.
 */
export const readXmlInTurns = async (body: Buffer): Promise<BodyContent> => {
  const turn = takingTurns()
  try {
    const text = textOf(body)
    const reading = startReading()
    for (let at = 0; at < text.length; at += sliceChars) {
      reading.add(text.slice(at, at + sliceChars))
      await turn()
    }
    return reading.end()
  } catch (error) {
    return unread(error)
  }
}

const textOf = (body: Buffer): string => {
  if (body.length > maxBytes) throw new Unreadable(`more than ${maxBytes} bytes`, true)
  const text = decodeUtf8(body)
  if (text === undefined) throw new Unreadable('it is not UTF-8')
  return text
}

/** Returns the content of a body that cannot be read. Throws an error that is no mistake of the body. */
const unread = (error: unknown): BodyContent => {
  if (!(error instanceof Unreadable)) throw error
  return { kind: 'unread', why: error.tooMuch ? 'too many' : 'not JSON', detail: `XML: ${error.message}` }
}

/** An element that is being read: its attributes and children by their names in the payload, and the parts of its text. */
type Element = { readonly name: string; readonly members: Map<string, Json[]>; readonly texts: string[] }

const newElement = (name: string): Element => ({ name, members: new Map(), texts: [] })

/** Names that would read as members that every object has. */
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Starts to read a text, which comes in parts. `add` and `end` throw an Unreadable. */
const startReading = (): { readonly add: (part: string) => void; readonly end: () => BodyContent } => {
  const { SaxesParser } = loadLibrary()
  // Later versions of XML allow more characters. A text that claims a later version is read as XML 1.0, as XML 1.0 itself says (2.8).
  const parser: SaxesParser = new SaxesParser({ defaultXMLVersion: '1.0', forceXMLVersion: true })
  const refuse = (why: string): never => {
    throw new Unreadable(why)
  }
  let nodes = 0
  const count = (): void => {
    if (++nodes > maxNodes) throw new Unreadable(`more than ${maxNodes} elements and attributes`, true)
  }
  const outside = newElement('')
  const open = [outside]
  const innermost = (): Element => open.at(-1) as Element
  const addText = (part: string): void => {
    innermost().texts.push(part)
  }

  parser.on('error', ({ message }) => refuse(`malformed at ${mistakeOf(message)}`))
  parser.on('doctype', () => refuse('a document type (<!DOCTYPE>), which may define entities'))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) refuse('its encoding is not UTF-8')
  })
  parser.on('processinginstruction', () => {
    if (open.length > 1) refuse('a processing instruction inside the root element')
    count()
  })
  parser.on('comment', count)
  parser.on('opentagstart', ({ name }) => {
    count()
    if (open.length > maxDepth) refuse(`nested deeper than ${maxDepth} elements`)
    if (forbiddenNames.has(name)) refuse('an element has a name that every object has')
    open.push(newElement(name))
  })
  parser.on('attribute', ({ name, value }) => {
    count()
    add(innermost(), `@${name}`, value)
  })
  parser.on('text', addText)
  parser.on('cdata', (part) => {
    count()
    addText(part)
  })
  parser.on('closetag', () => {
    const closed = open.pop() as Element
    add(innermost(), closed.name, jsonOf(closed))
  })
  return {
    add: (part) => void parser.write(part),
    end() {
      parser.close()
      const payload = jsonOf({ ...outside, texts: [] })
      return { kind: 'xml', text: JSON.stringify(payload), payload }
    },
  }
}

/** Takes line, column and mistake from a message of the library, without the names that a few of them quote: `1:7: unexpected close tag.` */
const mistakeOf = (message: string): string => {
  const [, line, column, mistake] = /^(\d+):(\d+): ([^:]*)/.exec(message) ?? []
  return line === undefined ? 'some place' : `line ${line}, column ${column}: ${mistake?.replace(/\.$/, '')}`
}

const add = ({ members }: Element, name: string, value: Json): void => {
  const known = members.get(name)
  if (known) known.push(value)
  else members.set(name, [value])
}

const jsonOf = ({ members, texts }: Element): Json => {
  const text = texts.join('').trim()
  if (members.size === 0) return text
  const values = Object.fromEntries([...members].map(([name, all]) => [name, all.length === 1 ? (all[0] as Json) : all]))
  return text === '' ? values : { ...values, '#text': text }
}
