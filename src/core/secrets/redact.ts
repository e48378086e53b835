/** Takes known secrets out of texts by value, wherever they turn up: error messages, URLs, child output (rules: Hostile input 4). */

/** Shorter values would blank out ordinary words. */
const shortest = 6

/** The spellings of a secret: as it is, and as a path, a query (where a URL writes an apostrophe its own way) and a form encode it. */
const formsOf = (value: string): string[] => {
  const encoded = encodeURIComponent(value)
  return [value, encoded, encoded.replaceAll("'", '%27'), new URLSearchParams([['', value]]).toString().slice(1)]
}

/** The known secrets, found in a text in one pass: a gateway may know ten thousand. */
export class Redactor {
  readonly #known = new Set<string>()
  /** By their first characters, longest first. */
  readonly #byStart = new Map<string, string[]>()
  /** A quick look for where a secret can begin at all: 1 for the low byte of each first character. */
  readonly #firsts = new Uint8Array(256)

  add(values: Iterable<string>): void {
    for (const value of values) {
      if (value.length < shortest || this.#known.has(value)) continue
      for (const form of formsOf(value)) this.#index(form)
    }
  }

  /** Every one of them, and its URL-encoded forms, becomes `***`; what overlaps becomes one. */
  redact(text: string): string {
    let out = ''
    let copied = 0
    /** Where the secrets that were found so far end. */
    let end = 0
    for (let at = 0; at + shortest <= text.length; at++) {
      if (this.#firsts[text.charCodeAt(at) & 255] === 0) continue
      const found = this.#byStart.get(text.slice(at, at + shortest))?.find((secret) => text.startsWith(secret, at))
      if (found === undefined) continue
      if (at >= end) {
        out += `${text.slice(copied, at)}***`
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
    const start = form.slice(0, shortest)
    const others = this.#byStart.get(start) ?? []
    this.#byStart.set(
      start,
      [...others, form].sort((a, b) => b.length - a.length),
    )
  }
}

/** A function that replaces every one of the values, and its URL-encoded forms, with `***`. */
export const createRedactor = (values: Iterable<string>): ((text: string) => string) => {
  const redactor = new Redactor()
  redactor.add(values)
  return (text) => redactor.redact(text)
}
