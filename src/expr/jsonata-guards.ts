/** What makes JSONata safe beside strangers' data: its patterns on the linear engine, its costly built-ins on a leash. */

import type { RE2JS } from 're2js'
import type { Json } from '../core/json.ts'
import { checkSteps, compileRe2, TooHard } from './regex.ts'
import { renderJson } from './render.ts'

/** Time that one evaluation of a pattern may spend on all its matches. */
const patternMs = 50
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

  constructor(literal: RegExp) {
    this.#regex = linear(literal)
  }

  exec(text: string): RegExpExecArray | null {
    checkSteps(this.#regex, text)
    if (this.#spentMs > patternMs) throw new TooHard('the pattern takes too long on this text')
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

type Check = (args: readonly unknown[]) => void
type BuiltIn = { readonly implementation: (...args: unknown[]) => unknown; readonly signature?: unknown }

const maxTextUnits = 2_097_152
const maxReplacedUnits = 262_144
const maxRenderedUnits = 1_048_576

const refuse = (what: string): never => {
  throw new TooHard(what)
}
const textUpTo =
  (most: number): Check =>
  ([text]) => {
    if (typeof text === 'string' && text.length > most) refuse('the text is too long for this function')
  }
const listUpTo =
  (most: number): Check =>
  ([list]) => {
    if (Array.isArray(list) && list.length > most) refuse(`the list is too long for this function: at most ${most} items`)
  }

/** Built-ins that can outgrow their input or never look at the clock, and what each may be given. */
const leashes: { readonly [name: string]: Check } = {
  eval: () => refuse('$eval is not available here'),
  length: textUpTo(maxTextUnits),
  substring: textUpTo(maxTextUnits),
  replace: textUpTo(maxReplacedUnits),
  pad: (args) => {
    textUpTo(maxTextUnits)(args)
    if (Math.abs(Number(args[1])) > 100_000) refuse('$pad goes to 100000 characters at most')
  },
  // Indenting a deep value multiplies its size by its depth.
  string: ([value, pretty]) => {
    if (pretty === true && typeof value === 'object' && renderJson(value as Json, maxRenderedUnits, 2).length >= maxRenderedUnits - 1)
      refuse('the indented text would be too long')
  },
  distinct: listUpTo(2_000), // Compares every two.
  spread: listUpTo(2_000), // Copies what it has for every item.
  sort: listUpTo(20_000),
}

const leashed = (builtIn: BuiltIn, check: Check): BuiltIn => {
  const { implementation } = builtIn
  function guarded(this: unknown, ...args: unknown[]): unknown {
    check(args)
    return implementation.apply(this, args)
  }
  // JSONata reads a function's arity and, for partial application, its parameters' names.
  Object.defineProperty(guarded, 'length', { value: implementation.length })
  Object.defineProperty(guarded, 'toString', { value: () => implementation.toString() })
  return { ...builtIn, implementation: guarded }
}

export const leashedNames: readonly string[] = Object.keys(leashes)

/** The built-ins of `leashedNames`, in that order, each behind its check; bound over the originals. */
export const leash = (originals: readonly BuiltIn[]): { readonly [name: string]: BuiltIn } =>
  Object.fromEntries(originals.map((builtIn, i) => [leashedNames[i], leashed(builtIn, Object.values(leashes)[i] ?? (() => {}))]))
