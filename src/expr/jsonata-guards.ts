/** What makes JSONata's built-ins safe beside strangers' data: each has bounds on what it may be given, and some a quicker body. */

import { isObject, type Json } from '../core/json.ts'
import { type Frame, type Run, runOf } from './jsonata-run.ts'
import { maxMatches } from './linear-regexp.ts'
import { TooHard } from './regex.ts'
import { renderJson } from './render.ts'
import { checkWeight, maxItems } from './weight.ts'

/** What JSONata calls a built-in on. */
type Focus = { readonly environment: Frame; readonly createSequence: () => unknown[] }
type Body = (this: Focus, ...args: unknown[]) => unknown
type Signature = { validate: (args: readonly unknown[], context: unknown) => unknown }
/** A built-in as the library holds it: one object for every expression. */
export type BuiltIn = { implementation: Body; readonly signature: Signature }
/** Throws TooHard. */
type Check = (args: readonly unknown[], run: Run) => unknown

/** Bounds of one built-in, with its reason where the default is not enough; a megabyte of each took longer than a turn of the loop may. */
type Rule = {
  /** Longest text among its arguments; the default suits what looks at every character in JavaScript. */
  readonly text?: number
  /** Longest list among its arguments. */
  readonly items?: number
  readonly check?: Check
  /** What runs instead of the library's own, which it gets. */
  readonly instead?: (original: Body) => Body
}

const slowText = 131_072
const fastText = 1_048_576
const shortText = 1_000
const maxRenderedUnits = 262_144
const maxSorted = 2_000
const maxOptions = 20
/** What a built-in does in the time of one step, as fast as the slowest. */
export const itemsAStep = 4
const unitsAStep = 128
const patternUnitsAStep = 32
/** V8 looks for a text in another in up to the product of their lengths: 300 kB in 700 kB took two minutes. */
const maxSearchSteps = 33_554_432

const refuse = (what: string): never => {
  throw new TooHard(what)
}
const sizeOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0)

const searchable: Check = ([text, wanted], run) => {
  if (typeof wanted !== 'string') run.spend(sizeOf(text) / patternUnitsAStep)
  if (sizeOf(text) * sizeOf(wanted) > maxSearchSteps) refuse('the texts are too long to look for one in the other')
}
const buildable = (units: number, most: number): void => {
  if (units > most) refuse(`the text would be longer than ${most} characters`)
}
const unitsOf = (list: unknown, between = 0): number =>
  Array.isArray(list) ? list.reduce<number>((units, item) => units + sizeOf(item) + between, 0) : 0
const heldTo =
  (deep: boolean, most?: number): Check =>
  (args, run) => {
    for (const arg of args) run.spend(checkWeight(arg, deep, most) / itemsAStep)
  }

/**
 * A picture that a payload brings may ask for half a gigabyte of digits (`[Y,*-400000000]`) or for a pattern that backtracks for ever,
 * so pictures are those that the expression itself spells.
 */
const written =
  (at: number): Check =>
  (args, run) => {
    const picture = args[at]
    if (typeof picture === 'string' && !run.written.has(picture)) refuse('a picture must be written in the expression')
  }

/** An empty separator makes `$formatNumber` look for it for ever. */
const numberFormat: Check = (args, run) => {
  written(1)(args, run)
  const options = args[2]
  if (options === undefined) return
  checkWeight(options, false, maxOptions)
  const fine = Object.values(options as object).every((value) => sizeOf(value) > 0 && sizeOf(value) < maxOptions)
  if (!fine) refuse('the options of $formatNumber must be a few short texts')
}

const surrogate = /[\ud800-\udfff]/
/** Characters are UTF-16 units in a text without surrogates: no list of them is made. */
const onUnits =
  (quick: (text: string, ...rest: number[]) => unknown) =>
  (original: Body): Body =>
    function (text, ...rest) {
      if (typeof text !== 'string' || text.length < shortText) return original.call(this, text, ...rest)
      if (!surrogate.test(text)) return quick(text, ...(rest as number[]))
      if (text.length > slowText) refuse('the text is too long for this function')
      return original.call(this, text, ...rest)
    }
const substring = (text: string, start: number, length?: number): string => {
  const from = Math.max(start, -text.length)
  if (length === undefined) return text.slice(from)
  return length <= 0 ? '' : text.slice(from, from >= 0 ? from + length : text.length + from + length)
}

const split = (original: Body): Body =>
  function (text, separator, limit) {
    if (typeof separator !== 'string' || typeof text !== 'string' || Number(limit) < 0) return original.call(this, text, separator, limit)
    const pieces = text.split(separator, Math.min(limit === undefined ? Infinity : Number(limit), maxItems + 1))
    if (pieces.length > maxItems) refuse(`the text has more than ${maxItems} pieces`)
    return pieces
  }

/** The library compares every two. Equal values have one text when the keys of maps are in order. */
const distinct = (): Body =>
  function (list) {
    if (!Array.isArray(list) || list.length <= 1) return list
    const seen = new Set<unknown>()
    const results = 'sequence' in list ? this.createSequence() : []
    for (const item of list) {
      const text = JSON.stringify(item, (_key, value) => (isObject(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value))
      if (!seen.has(text ?? item)) results.push(item)
      seen.add(text ?? item)
    }
    return results
  }
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** The library copies what is left of a list for every item of it: 787 MB for 20,000 numbers. */
const sort = (original: Body): Body =>
  function (list, comparator) {
    const plain = Array.isArray(list) && list.length > 1 && comparator === undefined && list.every((item) => typeof item === typeof list[0])
    if (!plain || !['number', 'string'].includes(typeof list[0])) return original.call(this, list, comparator)
    return [...list].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0))
  }

/** Of this evaluation: the library's own tells the time of whichever was begun last. */
const now = (): Body =>
  function (picture, timezone) {
    const { base } = this.environment
    return (base.lookup('fromMillis') as BuiltIn).implementation.call(this, base.timestamp.getTime(), picture, timezone)
  }

/** Indenting a deep value multiplies its size by its depth. */
const indentable: Check = ([value, pretty], run) => {
  run.spend(checkWeight(value, true) / itemsAStep)
  if (pretty === true && typeof value === 'object' && renderJson(value as Json, maxRenderedUnits, 2).length >= maxRenderedUnits - 1)
    refuse('the indented text would be too long')
}

const free: Rule = { text: Infinity, items: Infinity }
const usual: Rule = {}
const keyed: Rule = { check: heldTo(false) }

/** Every built-in of the library; a test holds this table and the library equal. */
const rules: { readonly [name: string]: Rule } = {
  count: free,
  exists: free,
  type: free,
  random: free,
  millis: free,
  sum: usual,
  max: usual,
  min: usual,
  average: usual,
  floor: usual,
  ceil: usual,
  round: usual,
  abs: usual,
  sqrt: usual,
  power: usual,
  formatBase: usual,
  lowercase: usual,
  uppercase: usual,
  trim: usual,
  encodeUrl: usual,
  encodeUrlComponent: usual,
  decodeUrl: usual,
  decodeUrlComponent: usual,
  base64encode: { text: fastText },
  base64decode: { text: fastText },
  error: usual,
  assert: { check: (args) => checkWeight(args[0], false) },
  number: { text: shortText },
  length: { text: fastText, instead: onUnits((text) => text.length) },
  substring: { text: fastText, instead: onUnits(substring) },
  contains: { text: fastText, check: searchable },
  substringBefore: { text: fastText, check: searchable },
  substringAfter: { text: fastText, check: searchable },
  match: { text: fastText, check: searchable },
  split: { text: fastText, check: searchable, instead: split },
  replace: {
    check: (args, run) => {
      searchable(args, run)
      const [text, pattern, replacement] = args
      if (typeof pattern === 'string' || typeof replacement !== 'string') return
      // For each match of a pattern the replacement is read once more, from one `$` to the next.
      const matches = Math.min(sizeOf(text), maxMatches)
      run.spend((matches * replacement.split('$').length) / itemsAStep)
      buildable(matches * replacement.length, 4 * fastText)
    },
  },
  pad: { check: ([, width, fill]) => buildable(Math.abs(Number(width)) * Math.max(1, sizeOf(fill)), slowText) },
  join: { check: ([list, separator]) => buildable(unitsOf(list, sizeOf(separator)), fastText) },
  formatNumber: { check: numberFormat },
  formatInteger: { check: written(1) },
  parseInteger: { text: shortText, check: written(1) },
  fromMillis: { text: shortText, check: written(1) },
  toMillis: { text: 128, check: written(1) },
  now: { text: shortText, check: written(0), instead: now },
  string: { text: fastText, check: indentable },
  clone: { check: heldTo(true) },
  boolean: { text: fastText, check: heldTo(false) },
  not: { text: fastText, check: heldTo(false) },
  keys: keyed,
  lookup: { check: ([input]) => Array.isArray(input) && checkWeight(input, false) },
  merge: keyed,
  each: keyed,
  sift: keyed,
  spread: { check: heldTo(false, 1_000) }, // Copies what it has for every item.
  append: usual,
  map: usual,
  filter: usual,
  single: usual,
  reduce: { text: fastText },
  zip: usual,
  reverse: usual,
  shuffle: usual,
  distinct: { check: heldTo(true), instead: distinct },
  sort: {
    check: ([list, comparator]) => {
      buildable(unitsOf(list), fastText)
      if (comparator !== undefined && Array.isArray(list) && list.length > maxSorted)
        refuse(`the list is too long to sort: at most ${maxSorted} items`)
    },
    instead: sort,
  },
  eval: { check: () => refuse('$eval is not available here') },
}

export const builtInNames: readonly string[] = Object.keys(rules)

/** The steps that a call counts for. Every built-in refuses texts and lists past its bounds, and numbers like 1e999, which some count down from for ever. */
const checkSizes = (args: readonly unknown[], { text = slowText, items = maxItems }: Rule): number => {
  let steps = 0
  for (const arg of args) {
    if (sizeOf(arg) > text) refuse(`the text is too long for this function: at most ${text} characters`)
    if (Array.isArray(arg) && arg.length > items) refuse(`the list is too long for this function: at most ${items} items`)
    if (typeof arg === 'number' && !Number.isFinite(arg)) refuse('a number is too large')
    if (items !== Infinity) steps += Array.isArray(arg) ? arg.length / itemsAStep : sizeOf(arg) / unitsAStep
  }
  return steps
}

const isLater = (value: unknown): value is Promise<unknown> => value instanceof Promise

const guard = (builtIn: BuiltIn, rule: Rule): void => {
  const { implementation, signature } = builtIn
  const body = rule.instead?.(implementation) ?? implementation
  const { validate } = signature

  function guarded(this: Focus, ...args: unknown[]): unknown {
    const run = runOf(this.environment)
    const charged = (result: unknown): unknown => {
      run.build(result)
      return result
    }
    const work = (): unknown => {
      run.spend(checkSizes(args, rule))
      rule.check?.(args, run)
      const result = body.apply(this, args)
      return isLater(result) ? result.then(charged) : charged(result)
    }
    const rest = run.step()
    return rest ? rest.then(work) : work()
  }
  // JSONata reads a function's arity and, for partial application, its parameters' names.
  Object.defineProperty(guarded, 'length', { value: implementation.length })
  Object.defineProperty(guarded, 'toString', { value: () => implementation.toString() })
  builtIn.implementation = guarded
  // It looks at every item of a list before it calls.
  signature.validate = (args, context) => {
    checkSizes(args, { ...rule, text: Infinity })
    return validate(args, context)
  }
}

/** Puts the library's own built-ins, in the order of `builtInNames`, behind their bounds, once for every expression. */
export const guardBuiltIns = (builtIns: readonly BuiltIn[]): void => {
  for (const [i, rule] of Object.values(rules).entries()) guard(builtIns[i] as BuiltIn, rule)
}
