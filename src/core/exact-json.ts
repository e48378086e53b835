/**
 * Reads the numbers of JSON exactly as they were written. `JSON.parse` makes doubles of them, which is right for nearly all payloads. Only
 * where a number of an event is used, its text is searched once for a number that a double does not represent exactly, and is parsed once
 * more if it has one (decision 0179).
 */

import { ExactNumber, isPlainNumber } from './exact-number.ts'
import { type ExactJson, type ExactObject, type Json, put } from './json.ts'

type ExactContainer = ExactJson[] | ExactObject

const isContainer = (value: ExactJson): value is ExactContainer =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** A parsed value with the JSON text that it was parsed from. */
export type WithText = { readonly payload: Json; readonly text: string }

const quote = 0x22
const backslash = 0x5c

/** Returns the index of the closing quote of the string that starts at `from`; the length of the text where no quote closes the string. */
export const endOfString = (text: string, from: number): number => {
  let end = text.indexOf('"', from + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** Whether the quote at this index is escaped: an odd number of backslashes stands before it. */
const isEscaped = (text: string, at: number): boolean => {
  let before = at
  while (text.charCodeAt(before - 1) === backslash) before--
  return (at - before) % 2 === 1
}

const startsNumber = (unit: number): boolean => unit === 0x2d || (unit >= 0x30 && unit <= 0x39)
/** Whether a unit may stand in a number: a digit, a sign, the point or the exponent. */
const inNumber = (unit: number): boolean => startsNumber(unit) || unit === 0x2e || unit === 0x2b || (unit | 0x20) === 0x65

const afterNumber = (text: string, from: number): number => {
  let i = from + 1
  while (i < text.length && inNumber(text.charCodeAt(i))) i++
  return i
}

/** Matches every list or map with a number that is not plain, and few others. The engine is faster than a walk around all strings. */
const mayHaveOdd = /[[:, \n\r\t]-?\d(?:\d{15}|\d{0,14}[.eE])|[[:, \n\r\t]-0/

const hasOddNumber = ({ text, payload }: WithText): boolean => {
  if (typeof payload === 'object' && !mayHaveOdd.test(text)) return false
  let i = 0
  while (i < text.length) {
    const unit = text.charCodeAt(i)
    if (unit === quote) i = endOfString(text, i) + 1
    else if (!startsNumber(unit)) i++
    else {
      const from = i
      i = afterNumber(text, from)
      if (!isPlainNumber(text.slice(from, i))) return true
    }
  }
  return false
}

/**
 * Parses a JSON text as `JSON.parse` does, with an `ExactNumber` for each number that a double does not represent exactly. Throws where
 * `JSON.parse` throws.
 */
export const exactJson = (text: string): ExactJson => exactOf({ text, payload: JSON.parse(text) as Json })

const [openMap, openList, closeMap, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]
const words: ReadonlyMap<number, true | false | null> = new Map([
  [0x74, true],
  [0x66, false],
  [0x6e, null],
])

/** Reads a text once more that `JSON.parse` takes. There is no recursion, because a stranger chose the depth of the value. */
class Reading {
  readonly #text: string
  readonly #root: ExactJson[] = []
  readonly #around: ExactContainer[] = []
  #into: ExactContainer = this.#root
  #key: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(): ExactJson {
    const text = this.#text
    for (let i = 0; i < text.length; ) {
      const unit = text.charCodeAt(i)
      if (unit === openMap || unit === openList) this.#open(unit === openMap ? {} : [])
      else if (unit === closeMap || unit === closeList) this.#into = this.#around.pop() ?? this.#root
      else {
        i = this.#readScalar(unit, i)
        continue
      }
      i++
    }
    return this.#root[0] as ExactJson
  }

  /** Reads the string, number or word that begins with this unit at `from`, if one does. Returns the index after it. */
  #readScalar(unit: number, from: number): number {
    const text = this.#text
    if (unit === quote) {
      const end = endOfString(text, from) + 1
      this.#addString(stringIn(text, from, end))
      return end
    }
    if (startsNumber(unit)) {
      const end = afterNumber(text, from)
      const token = text.slice(from, end)
      this.#add(isPlainNumber(token) ? Number(token) : new ExactNumber(token))
      return end
    }
    const word = words.get(unit)
    if (word === undefined) return from + 1
    this.#add(word)
    return from + String(word).length
  }

  #open(container: ExactContainer): void {
    this.#add(container)
    this.#around.push(this.#into)
    this.#into = container
  }

  #addString(value: string): void {
    if (this.#key === undefined && !Array.isArray(this.#into)) this.#key = value
    else this.#add(value)
  }

  #add(value: ExactJson): void {
    if (Array.isArray(this.#into)) this.#into.push(value)
    else put(this.#into, this.#key as string, value)
    this.#key = undefined
  }
}

const stringIn = (text: string, from: number, to: number): string => {
  const inner = text.slice(from + 1, to - 1)
  return inner.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : inner
}

/** Puts in the place of each member of a list or map what `replace` makes of it. */
const replaceMembers = (at: ExactContainer, replace: (member: ExactJson) => ExactJson): void => {
  if (Array.isArray(at)) {
    for (let i = 0; i < at.length; i++) at[i] = replace(at[i] as ExactJson)
    return
  }
  for (const key of Object.keys(at)) {
    const member = at[key] as ExactJson
    const replaced = replace(member)
    if (replaced !== member) put(at, key, replaced)
  }
}

/** The exact payloads, by the object from which each was read. */
const readings = new WeakMap<WithText, ExactJson>()

/**
 * Returns the payload with its numbers as its text has them: the payload itself where doubles represent all of them exactly. The text is
 * read at the first call for this event or content, and only then.
 */
export const exactOf = (from: WithText): ExactJson => {
  const known = readings.get(from)
  if (known !== undefined) return known
  const exact = hasOddNumber(from) ? new Reading(from.text).read() : from.payload
  readings.set(from, exact)
  return exact
}

/** Whether a value is the same in the payload and in the exact payload: it is no number, and has none inside. */
export const saysAll = (value: ExactJson | undefined): boolean => typeof value !== 'number' && (typeof value !== 'object' || value === null)

/** The form of keys that are written in JSON as they are, or with escapes of ASCII. */
const plainKey = /^[\w-]+$/
const escapeOfAscii = '\\u00'

/** Finds the numbers that stand behind a key, in whatever map. */
export type NumbersBehind = RegExp | undefined

/** Compiles the search for the numbers behind a key; `undefined` for a key that a text may have in several ways. */
export const compileNumbersBehind = (key: string): NumbersBehind =>
  plainKey.test(key) ? new RegExp(`"${key}"[ \\n\\r\\t]*:[ \\n\\r\\t]*(-?\\d[\\d.eE+-]*)`, 'g') : undefined

/**
 * Whether all numbers that stand behind a key are plain. This looks at a few places instead of the whole text. False where that is not
 * certain.
 */
const arePlain = (text: string, behind: NumbersBehind): boolean => {
  if (!behind || text.includes(escapeOfAscii)) return false
  let isFound = false
  behind.lastIndex = 0
  for (let match = behind.exec(text); match; match = behind.exec(text)) {
    if (!isPlainNumber(match[1] as string)) return false
    isFound = true
  }
  return isFound
}

/**
 * Reads a value inside a payload exactly: a number, or a list or map with numbers inside. `behind`: finds the numbers behind the key that
 * `read` reads.
 */
export const readExactly = (
  from: WithText,
  read: (root: ExactJson) => ExactJson | undefined,
  behind: NumbersBehind,
): ExactJson | undefined => {
  const value = read(from.payload)
  if (saysAll(value)) return value
  if (typeof value === 'number' && !readings.has(from) && arePlain(from.text, behind)) return value
  const exact = exactOf(from)
  return exact === from.payload ? value : read(exact)
}

/** Whether a number is a whole one past 2^53 that is written with digits alone: most likely an id, and no quantity. */
export const isLongId = (value: ExactNumber): boolean => value.isDigits && !Number.isSafeInteger(value.toNumber())

/** The payloads for programs that know only doubles, by the object from which each was read. */
const looseReadings = new WeakMap<WithText, Json>()

/** The lists and maps of exact payloads, by their copies in the payloads for programs that know only doubles. */
const exactByCopy = new WeakMap<object, ExactContainer>()

/** Returns the exact list or map of which this one is a copy, in what `looseOf` returned; `undefined` for any other value. */
export const exactOfCopy = (value: unknown): ExactJson | undefined =>
  typeof value === 'object' && value !== null ? exactByCopy.get(value) : undefined

/** Returns the payload for programs that know only doubles (`withTextIds`). */
export const looseOf = (from: WithText): Json => {
  const known = looseReadings.get(from)
  if (known !== undefined) return known
  const exact = exactOf(from)
  const loose = exact === from.payload ? from.payload : withTextIds(exact, (copy, of) => exactByCopy.set(copy, of))
  looseReadings.set(from, loose)
  return loose
}

/**
 * Returns a value for programs that know only doubles: JSONata, plugins, PostgreSQL. A whole number past 2^53 is the text of its digits, any
 * other number a double. A value without such numbers is returned as it is; of any other, `copied` hears of each list and map.
 */
export const withTextIds = (value: ExactJson, copied?: NoteCopy): Json => {
  if (!hasExact(value)) return value as Json
  const loose = (scalar: Scalar): Scalar => {
    if (!(scalar instanceof ExactNumber)) return scalar
    return isLongId(scalar) ? scalar.text : scalar.toNumber()
  }
  return mapScalars(value, loose, copied) as Json
}

type Scalar = Exclude<ExactJson, ExactContainer>

/** Called with each list and map that is copied. */
type NoteCopy = (copy: ExactContainer, of: ExactContainer) => void

/** Returns a copy of a value, with what `change` makes of each scalar. There is no recursion, because a stranger chose the depth. */
export const mapScalars = (value: ExactJson, change: (scalar: Scalar) => Scalar, copied?: NoteCopy): ExactJson => {
  const holder: ExactObject = { value }
  const waiting: ExactContainer[] = [holder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    replaceMembers(at, (inner) => {
      if (!isContainer(inner)) return change(inner)
      const copy = Array.isArray(inner) ? [...inner] : { ...inner }
      waiting.push(copy)
      copied?.(copy, inner)
      return copy
    })
  }
  return holder.value as ExactJson
}

const hasExact = (value: ExactJson): boolean => {
  const waiting: ExactJson[] = [value]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at instanceof ExactNumber) return true
    if (isContainer(at)) for (const inner of Object.values(at)) if (typeof inner === 'object' && inner !== null) waiting.push(inner)
  }
  return false
}
