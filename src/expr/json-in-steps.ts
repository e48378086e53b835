/** Parses JSON in steps: of a list or map of megabytes, some members at a time, so that it does not hold the event loop. */

import { type Json, type JsonObject, put } from '../core/json.ts'
import { parseJson } from '../core/json-error.ts'
import type { InSteps } from './list-file.ts'

/** The UTF-16 units of a text that are read or parsed in one step: this takes less than a millisecond. */
const unitsInStep = 65_536
/** How many lists and maps, one inside the other, are taken apart. For each of them the text is read once more. */
const maxDepth = 4

/** The codes of signs, which are read one by one. */
const signs = { quote: 0x22, comma: 0x2c, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, openMap: 0x7b, closeMap: 0x7d } as const

/** Parses the JSON of a file. Throws an Error whose sentence has the place of the mistake and quotes nothing. */
export function* parseJsonInSteps(text: string): InSteps<Json> {
  try {
    return yield* parsePart(text, maxDepth)
  } catch {
    return parseJson(text)
  }
}

function* parsePart(text: string, depth: number): InSteps<Json> {
  const open = text.search(/[^ \t\r\n]/)
  if (text.length > unitsInStep && depth > 0 && text[open] === '[') return yield* parseList(yield* piecesOf(text, open, ']'), depth)
  if (text.length > unitsInStep && depth > 0 && text[open] === '{') return yield* parseMap(yield* piecesOf(text, open, '}'), depth)
  return JSON.parse(text) as Json
}

function* parseList(pieces: readonly string[], depth: number): InSteps<Json> {
  const list: Json[] = []
  for (const piece of pieces) {
    if (piece.length > unitsInStep) list.push(yield* parsePart(piece, depth - 1))
    else for (const item of JSON.parse(`[${piece}]`) as Json[]) list.push(item)
    yield
  }
  return list
}

function* parseMap(pieces: readonly string[], depth: number): InSteps<Json> {
  const map: JsonObject = {}
  for (const piece of pieces) {
    const members = piece.length > unitsInStep ? yield* parseMember(piece, depth - 1) : (JSON.parse(`{${piece}}`) as JsonObject)
    for (const [key, value] of Object.entries(members)) put(map, key, value)
    yield
  }
  return map
}

/** Parses one member of a map. */
function* parseMember(text: string, depth: number): InSteps<JsonObject> {
  const colon = text.indexOf(':', endOfText(text, text.indexOf('"')))
  if (colon < 0) throw noJson()
  const member = JSON.parse(`{${text.slice(0, colon)}:0}`) as JsonObject
  for (const key of Object.keys(member)) put(member, key, yield* parsePart(text.slice(colon + 1), depth))
  return member
}

/**
 * Cuts the inside of a list or map, which begins at `open`, at commas between its members. A piece that is longer than a step is one member.
 * Throws where the text does not end with the list or map, and where a piece among several is blank; what a piece says is not looked at.
 */
function* piecesOf(text: string, open: number, close: ']' | '}'): InSteps<readonly string[]> {
  const pieces = new Pieces(text, open + 1)
  let depth = 0
  let rest = open + unitsInStep
  for (let at = open + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === signs.quote) at = endOfText(text, at)
    else if (sign === signs.openList || sign === signs.openMap) depth++
    else if (sign === signs.comma && depth === 0) pieces.endMember(at)
    else if ((sign === signs.closeList || sign === signs.closeMap) && depth-- === 0) {
      if (text[at] !== close || !isBlank(text.slice(at + 1))) throw noJson()
      return pieces.end(at)
    }
    if (at < rest) continue
    rest = at + unitsInStep
    yield
  }
  throw noJson()
}

/** The pieces so far. `#from`: where the next piece begins. `#member`: where the present member begins. */
class Pieces {
  readonly #text: string
  readonly #done: string[] = []
  #from: number
  #member: number

  constructor(text: string, begin: number) {
    this.#text = text
    this.#from = begin
    this.#member = begin
  }

  /** Ends a member at its comma. A piece that would be too long with it ends before it. */
  endMember(at: number): void {
    if (at - this.#from > unitsInStep && this.#member > this.#from) this.#cut(this.#member - 1)
    this.#member = at + 1
    if (at - this.#from > unitsInStep) this.#cut(at)
  }

  /** Ends the last member, and returns all pieces. */
  end(at: number): readonly string[] {
    this.endMember(at)
    if (this.#from <= at) this.#cut(at)
    if (this.#done.length > 1 && this.#done.some(isBlank)) throw noJson()
    return this.#done
  }

  #cut(at: number): void {
    this.#done.push(this.#text.slice(this.#from, at))
    this.#from = at + 1
  }
}

const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text)

/** Returns the place of the quote that ends the text in quotes that begins at `open`. */
const endOfText = (text: string, open: number): number => {
  for (let at = open + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === signs.quote) return at
    if (sign === signs.backslash) at++
  }
  throw noJson()
}

const noJson = (): Error => new Error('no JSON')
