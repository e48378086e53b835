/** JSONata's patterns on the linear engine. */

import type { RE2JS } from 're2js'
import { checkSteps, compileRe2, TooHard } from './regex.ts'

/** Time that one evaluation of a pattern may spend on all its matches. */
const patternMs = 50
export const maxMatches = 10_000
const compiled = new WeakMap<RegExp, RE2JS>()

/** The linear pattern behind a literal of an expression; throws BadPattern. */
export const linear = (literal: RegExp): RE2JS => {
  const known = compiled.get(literal)
  if (known) return known
  const flags = literal.flags.replace(/[^im]/g, '')
  const regex = compileRe2(flags === '' ? literal.source : `(?${flags})${literal.source}`)
  compiled.set(literal, regex)
  return regex
}

/** As much of RegExp as JSONata uses: it makes one per evaluation of a literal and drives it by `lastIndex`. */
export class LinearRegExp {
  lastIndex = 0
  readonly #regex: RE2JS
  #spentMs = 0
  #matches = 0

  constructor(literal: RegExp) {
    this.#regex = linear(literal)
  }

  exec(text: string): RegExpExecArray | null {
    checkSteps(this.#regex, text)
    if (this.#spentMs > patternMs || ++this.#matches > maxMatches) throw new TooHard('the pattern takes too long on this text')
    const start = performance.now()
    const matcher = this.#regex.matcher(text)
    const found = this.lastIndex <= text.length && matcher.find(this.lastIndex)
    this.#spentMs += performance.now() - start
    this.lastIndex = found ? matcher.end() : 0
    if (!found) return null
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined)
    return Object.assign(groups, { index: matcher.start(), input: text }) as RegExpExecArray
  }
}
