/** Runs JSONata's patterns on the linear-time engine, and charges the evaluation for the work. */

import type { RE2JS } from 're2js'
import { TooHard } from '../too-hard.ts'
import { checkSteps, compileRe2 } from './regex.ts'

export const maxMatches = 10_000
/**
 * The most work for all matches of one evaluation of a pattern. Work is the number of characters read, times the size of the pattern's
 * program.
 */
const maxWork = 1_500_000
/** The work that counts for each start of the engine. */
const workAMatch = 64
/** The work that takes the time of a step, in which `Payer` counts. */
const workAStep = 128
/**
 * The number of UTF-16 units that count as one character that the engine reads, where V8 skips them in search of a text that every match
 * has.
 */
const unitsSkippedAStep = 4096

/** The engine of a pattern literal. `read`: the number of characters that the engine has read so far. */
type CountedRegexp = { readonly regex: RE2JS; read: number }
const compiled = new WeakMap<RegExp, CountedRegexp>()

/** Makes an engine count the characters that it reads. */
const countReads = (regex: RE2JS): CountedRegexp => {
  const counted = { regex, read: 0 }
  const engine = regex.re2()
  const execute = engine.executeEngine.bind(engine)
  engine.executeEngine = (input, from, ...rest) => {
    const step = input.step.bind(input)
    input.step = (at: number) => {
      counted.read++
      return step(at)
    }
    if (engine.prefilter !== null) counted.read += (input.endPos() - from) / unitsSkippedAStep
    return execute(input, from, ...rest)
  }
  return counted
}

/** Returns the engine of a pattern literal. Throws BadPattern. */
export const engineOf = (literal: RegExp): CountedRegexp => {
  const known = compiled.get(literal)
  if (known) return known
  const flags = literal.flags.replace(/[^im]/g, '')
  const counted = countReads(compileRe2(flags === '' ? literal.source : `(?${flags})${literal.source}`))
  compiled.set(literal, counted)
  return counted
}

/** The evaluation that pays for the work, in steps. */
type Payer = { spend(steps: number): void }

/**
 * The part of RegExp that JSONata uses. The library makes an object for each evaluation of a pattern, and `lastIndex` says where the search
 * for the next match begins. `exec` throws TooHard where the work becomes too much.
 */
export class LinearRegExp {
  lastIndex = 0
  readonly #payer: Payer
  readonly #pattern: CountedRegexp
  readonly #size: number
  #work = 0
  #matches = 0

  constructor(payer: Payer, literal: RegExp) {
    this.#payer = payer
    this.#pattern = engineOf(literal)
    this.#size = this.#pattern.regex.programSize()
  }

  exec(text: string): RegExpExecArray | null {
    const { regex } = this.#pattern
    checkSteps(regex, text)
    const ahead = (text.length - this.lastIndex) * this.#size
    if (this.#work + ahead > maxWork || ++this.#matches > maxMatches) throw new TooHard('the pattern takes too long on this text')
    const before = this.#pattern.read
    const matcher = regex.matcher(text)
    const found = this.lastIndex <= text.length && matcher.find(this.lastIndex)
    const groups = found ? Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined) : []
    this.#pay(workAMatch + (this.#pattern.read - before) * this.#size)
    this.lastIndex = found ? matcher.end() : 0
    return found ? (Object.assign(groups, { index: matcher.start(), input: text }) as RegExpExecArray) : null
  }

  #pay(work: number): void {
    this.#work += work
    this.#payer.spend(1 + work / workAStep)
  }
}
