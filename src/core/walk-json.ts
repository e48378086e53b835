/** Reads values from the bytes of JSON by their paths. All other values are skipped: no text is made of them, which would cost time. */

import type { ExactJson } from './json.ts'

/** The keys that lead from the top of the payload to a value. In a list, a key is the index of an item, or `*` for each item. */
export type KeyPath = readonly string[]

/** What a walk through the bytes calls for each value that it finds, and the limit of the walk. */
export type WalkGuide = {
  /** Returns the value of the text, number or word between two indexes of the bytes. The bytes of the value may be malformed. */
  readonly valueAt: (from: number, to: number) => ExactJson
  /** Whether a map or list to which a path leads is given as a value; otherwise only texts, numbers and booleans are. */
  readonly wholes?: boolean
  /** Whether `*` stands for a single value too: XML with one element of a name has no list there. */
  readonly singles?: boolean
  /** The most keys and items that the walk may pass in the maps and lists on its paths. Absent: there is no limit. */
  readonly maxEntries?: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const closeList = 0x5d
const openMap = 0x7b
const closeMap = 0x7d

/** A byte; `undefined` after the last byte. */
type Byte = number | undefined
const isBlank = (byte: Byte): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isOpening = (byte: Byte): boolean => byte === openMap || byte === openList
const isClosing = (byte: Byte): boolean => byte === closeMap || byte === closeList
const isEnd = (byte: Byte): boolean =>
  byte === undefined || byte === comma || byte === colon || byte === quote || isClosing(byte) || isOpening(byte) || isBlank(byte)
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
/** The bytes of the longest escape of one character (`\u0041`). */
const longestEscape = 6

/**
 * Returns the payload as far as the paths lead: its maps have only keys of the paths, and its lists have `null` for an item without a
 * value. Of a repeated key the last value counts, as for `JSON.parse`. A map or list at the end of a path is `null`. `undefined` where the
 * paths pass more than `maxEntries` keys and items. Malformed JSON is read up to its first error.
 */
export const walkJson = (bytes: Buffer, paths: readonly KeyPath[], guide: WalkGuide): ExactJson | undefined => {
  const walk = new Walk(bytes, guide)
  const found = walk.visit(paths, 0)
  return walk.isOver ? undefined : found
}

/**
 * A position in the bytes, and the methods that move it. The walk descends only where a path leads, so it goes no deeper than the longest
 * path.
 */
class Walk {
  readonly #bytes: Buffer
  readonly #guide: WalkGuide
  /** The number of keys and items that the walk may still pass. */
  #left: number
  #at: number

  constructor(bytes: Buffer, guide: WalkGuide) {
    this.#bytes = bytes
    this.#guide = guide
    this.#left = guide.maxEntries ?? Number.POSITIVE_INFINITY
    this.#at = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
  }

  /** Whether the walk has passed more keys and items than it may. */
  get isOver(): boolean {
    return this.#left < 0
  }

  /**
   * Reads the value at the position. `given`: the paths that lead to this value or through it; `passed`: the number of their keys that were
   * passed on the way.
   */
  visit(given: readonly KeyPath[], passed: number): ExactJson {
    const first = this.#next()
    const paths = this.#guide.singles && first !== openList ? given.flatMap((path) => withSingle(path, passed)) : given
    const onward = paths.filter(({ length }) => length > passed)
    const endsHere = onward.length < paths.length
    const isWhole = endsHere && this.#guide.wholes === true
    if (first === openMap && onward.length > 0 && !isWhole) return this.#visitMap(onward, passed)
    if (first === openList && onward.length > 0 && !isWhole) return this.#visitList(onward, passed)
    const from = this.#at
    this.#skip()
    return endsHere && (isWhole || !isOpening(first)) && this.#at > from ? this.#guide.valueAt(from, this.#at) : null
  }

  #visitMap(paths: readonly KeyPath[], passed: number): ExactJson {
    const members = new Map<string, ExactJson>()
    this.#at++
    while (this.#next() === quote && --this.#left >= 0) {
      const from = this.#at
      this.#skipText()
      const key = this.#keyAmong(paths, passed, from)
      if (this.#next() !== colon) break
      this.#at++
      const value = this.#enter(paths, passed, (step) => step === key)
      if (key !== undefined) members.set(key, value)
      if (this.#next() !== comma) break
      this.#at++
    }
    if (this.#next() === closeMap) this.#at++
    return Object.fromEntries(members)
  }

  #visitList(paths: readonly KeyPath[], passed: number): ExactJson {
    const items: ExactJson[] = []
    this.#at++
    while (this.#next() !== closeList && --this.#left >= 0) {
      const index = String(items.length)
      items.push(this.#enter(paths, passed, (step) => step === '*' || step === index))
      if (this.#next() !== comma) break
      this.#at++
    }
    if (this.#next() === closeList) this.#at++
    return items
  }

  /**
   * Reads the value of a key or an index where a path leads there; else moves behind the value, and returns `null`. `isNext`: whether a key
   * of a path is this key or index.
   */
  #enter(paths: readonly KeyPath[], passed: number, isNext: (step: string) => boolean): ExactJson {
    const leading = paths.filter((path) => isNext(path[passed] as string))
    if (leading.length > 0) return this.visit(leading, passed + 1)
    this.#next()
    this.#skip()
    return null
  }

  /** Returns the key that was written from `from` to the position, where it is the next key of a path; else `undefined`. */
  #keyAmong(paths: readonly KeyPath[], passed: number, from: number): string | undefined {
    const length = this.#at - from - 2
    const steps = paths
      .map((path) => path[passed] as string)
      .filter((step) => length >= step.length && length <= step.length * longestEscape)
    if (steps.length === 0) return undefined
    const key = unescapedKey(this.#bytes.toString('utf8', from, this.#at))
    return steps.find((step) => step === key)
  }

  #next(): Byte {
    while (isBlank(this.#bytes[this.#at])) this.#at++
    return this.#bytes[this.#at]
  }

  /** Moves behind the value that begins at the position. */
  #skip(): void {
    const first = this.#bytes[this.#at]
    if (first === quote) this.#skipText()
    else if (isOpening(first)) this.#skipNested()
    else while (!isEnd(this.#bytes[this.#at])) this.#at++
  }

  /** Moves behind the quoted text that begins at the position. */
  #skipText(): void {
    const bytes = this.#bytes
    let at = this.#at + 1
    while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    this.#at = Math.min(at + 1, bytes.length)
  }

  /** Moves behind the map or list that begins at the position. */
  #skipNested(): void {
    let depth = 0
    do {
      const byte = this.#bytes[this.#at]
      if (byte === quote) {
        this.#skipText()
        continue
      }
      if (isOpening(byte)) depth++
      else if (isClosing(byte)) depth--
      this.#at++
    } while (depth > 0 && this.#at < this.#bytes.length)
  }
}

/** Returns a path, and behind it the path without the `*` at an index, where it has one there. */
const withSingle = (path: KeyPath, at: number): KeyPath[] => (path[at] === '*' ? [path, ...withSingle(path.toSpliced(at, 1), at)] : [path])

/** Returns the key that a quoted text of JSON stands for; an empty key where the text is malformed. */
const unescapedKey = (written: string): string => {
  if (!written.includes('\\')) return written.slice(1, -1)
  try {
    return JSON.parse(written) as string
  } catch {
    return ''
  }
}
