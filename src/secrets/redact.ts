/**
 * Removes known secrets from texts, wherever they turn up: error messages, URLs, output of programs (rules: Hostile input 4). They are found
 * by themselves, because a text has no names.
 */

import { isObject, type Json } from '../core/json.ts'
import { stars } from '../core/secret-names.ts'
import { keepDigits } from '../core/written-digits.ts'

/** The shortest secret that is removed, in UTF-16 units. Shorter values would blank out ordinary words. */
const minLength = 6

/** Returns the spellings of a secret: plain, and as a path, a query (where URLs encode an apostrophe too) and a form encode it. */
const spellingsOf = (value: string): string[] => {
  // Going through bytes replaces lone surrogates, which no address can hold.
  const encoded = encodeURIComponent(Buffer.from(value).toString())
  return [value, encoded, encoded.replaceAll("'", '%27'), new URLSearchParams([['', value]]).toString().slice(1)]
}

/** Finds all known secrets in one pass over a text, because a gateway may know ten thousand secrets. */
export class Redactor {
  /** All spellings of the secrets. */
  readonly #known = new Set<string>()
  /** The spellings by their first `minLength` characters, the longest spelling first. */
  readonly #byStart = new Map<string, string[]>()
  /** 1 at the low byte of the first UTF-16 unit of each spelling, 0 elsewhere. No secret begins with a unit whose low byte has 0 here. */
  readonly #firsts = new Uint8Array(256)

  /** Makes secrets known. Values that are too short are left out. */
  add(values: Iterable<string>): void {
    for (const value of values) {
      if (value.length < minLength || this.#known.has(value)) continue
      for (const form of spellingsOf(value)) this.#index(form)
    }
  }

  /** Replaces each known secret, in any spelling, with `***`. Overlapping secrets become one `***`. */
  redact(text: string): string {
    let out = ''
    let copied = 0
    /** The index after the secrets that were found so far. */
    let end = 0
    for (let at = 0; at + minLength <= text.length; at++) {
      if (this.#firsts[text.charCodeAt(at) & 255] === 0) continue
      const found = this.#byStart.get(text.slice(at, at + minLength))?.find((secret) => text.startsWith(secret, at))
      if (found === undefined) continue
      if (at >= end) {
        out += text.slice(copied, at) + stars
      }
      end = Math.max(end, at + found.length)
      copied = end
    }
    return copied === 0 ? text : out + text.slice(copied)
  }

  #index(form: string): void {
    if (this.#known.has(form)) return
    this.#known.add(form)
    this.#firsts[form.charCodeAt(0) & 255] = 1
    const start = form.slice(0, minLength)
    const others = this.#byStart.get(start) ?? []
    this.#byStart.set(
      start,
      [...others, form].sort((a, b) => b.length - a.length),
    )
  }
}

/**
 * Returns a function that replaces each of the values, in any spelling, with `***`. Values that are too short for `Redactor` are left out.
 */
export const createRedactor = (values: Iterable<string>): ((text: string) => string) => {
  const redactor = new Redactor()
  redactor.add(values)
  return (text) => redactor.redact(text)
}

/** Returns a copy of a value of JSON in which each text is redacted. */
export const redactTexts = <Value>(value: Value, redact: (text: string) => string): Value => {
  const redacted = (item: Json): Json => {
    if (typeof item === 'string') return redact(item)
    if (Array.isArray(item)) return keepDigits(item, item.map(redacted))
    if (!isObject(item)) return item
    return keepDigits(item, Object.fromEntries(Object.entries(item).map(([key, each]) => [key, redacted(each)])))
  }
  return redacted(value as Json) as Value
}
