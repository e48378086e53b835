/** Masks values in a JSON text by their paths. Every other character stays as it is written: digits, repeated keys, blanks, order. */

import { endOfString } from './count-containers.ts'

/** The keys that lead to a value, from the top; `*` stands for each item of a list. */
export type Path = readonly string[]

/** What stands in place of a value. */
const stars = '"***"'

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const closeList = 0x5d
const openMap = 0x7b
const closeMap = 0x7d

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
const isOpening = (unit: number): boolean => unit === openMap || unit === openList
const isClosing = (unit: number): boolean => unit === closeMap || unit === closeList

/**
 * The text with each text, number or boolean at one of the paths masked; the same text where there is none. What is no JSON is masked up to the
 * place where it is none. `keyOf` gives the key of a JSON string that has escapes.
 */
export const maskJson = (text: string, paths: readonly Path[], keyOf: (written: string) => string): string => {
  const masking = new Masking(text, keyOf)
  masking.visit(paths, 0)
  return masking.result()
}

/** One way through a text. It descends only where a path leads, so that it goes no deeper than the longest path. */
class Masking {
  readonly #text: string
  readonly #keyOf: (written: string) => string
  #at = 0
  #out = ''
  #copied = 0

  constructor(text: string, keyOf: (written: string) => string) {
    this.#text = text
    this.#keyOf = keyOf
  }

  result(): string {
    return this.#copied === 0 ? this.#text : this.#out + this.#text.slice(this.#copied)
  }

  /** Reads the value that so many keys of these paths have led to. */
  visit(paths: readonly Path[], passed: number): void {
    const first = this.#next()
    const onward = paths.filter(({ length }) => length > passed)
    if (first === openMap && onward.length > 0) this.#visitMap(onward, passed)
    else if (first === openList && onward.length > 0) this.#visitList(onward, passed)
    else {
      const from = this.#at
      this.#skip()
      if (onward.length < paths.length && !isOpening(first)) this.#mask(from)
    }
  }

  #visitMap(paths: readonly Path[], passed: number): void {
    this.#at++
    while (this.#next() === quote) {
      const from = this.#at
      this.#skip()
      const written = this.#text.slice(from, this.#at)
      if (this.#next() !== colon) return
      this.#at++
      this.#enter(paths, passed, (key) => this.#isKey(written, key))
      if (this.#next() !== comma) break
      this.#at++
    }
    if (this.#next() === closeMap) this.#at++
  }

  #visitList(paths: readonly Path[], passed: number): void {
    this.#at++
    for (let i = 0; this.#next() !== closeList; i++) {
      this.#enter(paths, passed, (key) => key === '*' || key === String(i))
      if (this.#next() !== comma) break
      this.#at++
    }
    if (this.#next() === closeList) this.#at++
  }

  /** Reads the value behind the next key of a path. */
  #enter(paths: readonly Path[], passed: number, isNext: (key: string) => boolean): void {
    const led = paths.filter((path) => isNext(path[passed] as string))
    if (led.length > 0) this.visit(led, passed + 1)
    else {
      this.#next()
      this.#skip()
    }
  }

  #isKey(written: string, key: string): boolean {
    if (written.includes('\\')) return this.#keyOf(written) === key
    return written.length === key.length + 2 && written.startsWith(key, 1)
  }

  #mask(from: number): void {
    const value = this.#text.slice(from, this.#at)
    if (value === '' || value === 'null') return
    this.#out += this.#text.slice(this.#copied, from) + stars
    this.#copied = this.#at
  }

  /** Goes to the next character that is no blank, and gives it; `NaN` at the end. */
  #next(): number {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#text.charCodeAt(this.#at)
  }

  /** Goes behind the value that begins here. */
  #skip(): void {
    const first = this.#text.charCodeAt(this.#at)
    if (first === quote) this.#at = endOfString(this.#text, this.#at) + 1
    else if (isOpening(first)) this.#skipNested()
    else while (this.#at < this.#text.length && !this.#isEnd(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #skipNested(): void {
    let depth = 0
    do {
      const unit = this.#text.charCodeAt(this.#at)
      if (unit === quote) this.#at = endOfString(this.#text, this.#at)
      else if (isOpening(unit)) depth++
      else if (isClosing(unit)) depth--
      this.#at++
    } while (depth > 0 && this.#at < this.#text.length)
  }

  /** Whether a number or word ends before this character. */
  #isEnd(unit: number): boolean {
    return unit === comma || unit === colon || unit === quote || isClosing(unit) || isOpening(unit) || isBlank(unit)
  }
}
