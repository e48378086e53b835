/** Patterns that stand for a few fixed texts (`^(fix|feat)`, `^refs/heads/main$`) as string comparisons: ten times quicker than any engine. */

/** Past so many texts, or so long ones, an engine is the better choice. */
const maxTexts = 64
const maxTextUnits = 64

/** One of the texts, and whether it must stand at the start or the end. */
type Literal = { readonly text: string; readonly atStart: boolean; readonly atEnd: boolean }

/** Ends the attempt: the pattern holds something that is no fixed text. One for all, for its stack costs more than the attempt. */
const notLiteral = new Error('not a literal')

const special = /[\\^$.|?*+()[\]{}\ud800-\udfff]/
const escapable = /[!-/:-@[-`{-~]/

/** Reads one pattern from left to right; throws notLiteral. */
class Reader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  whole(): Literal[] {
    const all: Literal[] = []
    do {
      const atStart = this.#takes('^')
      const texts = this.#sequence()
      const atEnd = this.#takes('$')
      all.push(...texts.map((text) => ({ text, atStart, atEnd })))
    } while (this.#takes('|'))
    if (this.#at < this.#pattern.length) throw notLiteral
    return all
  }

  /** Every text that the atoms up to the next `|`, `)` or `$` can spell. */
  #sequence(): string[] {
    let texts = ['']
    for (let next = this.#atom(); next; next = this.#atom()) {
      const more = next
      if (texts.length * more.length > maxTexts) throw notLiteral
      texts = texts.flatMap((text) => more.map((end) => text + end))
    }
    return texts
  }

  #atom(): string[] | undefined {
    const char = this.#pattern[this.#at]
    if (char === undefined || char === '|' || char === ')' || char === '$') return undefined
    this.#at++
    if (char === '(') return this.#group()
    if (char === '\\') return [this.#escaped()]
    if (special.test(char)) throw notLiteral
    return [char]
  }

  #group(): string[] {
    if (this.#takes('?') && !this.#takes(':')) throw notLiteral
    const texts: string[] = []
    do texts.push(...this.#sequence())
    while (this.#takes('|'))
    if (!this.#takes(')') || texts.length > maxTexts) throw notLiteral
    return texts
  }

  #escaped(): string {
    const char = this.#pattern[this.#at++]
    if (char === undefined || !escapable.test(char)) throw notLiteral
    return char
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

/** A searching test, which may take the time that `units` takes for each unit of a subject: the length of what is looked for everywhere. */
type Literals = { readonly test: (subject: string) => boolean; readonly units: number }

/** For a pattern of fixed texts; `undefined` for every other pattern. */
export const compileLiterals = (pattern: string): Literals | undefined => {
  try {
    const literals = new Reader(pattern).whole()
    if (literals.some(({ text }) => text.length > maxTextUnits)) return undefined
    const tests = literals.map(testOf)
    const [only] = tests
    const units = literals.reduce((sum, { text, atStart, atEnd }) => (atStart || atEnd ? sum : sum + text.length), 0)
    return { test: tests.length === 1 && only ? only : (subject) => tests.some((test) => test(subject)), units }
  } catch (error) {
    if (error === notLiteral) return undefined
    throw error
  }
}
