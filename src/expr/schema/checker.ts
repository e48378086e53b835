/**
 * Compiles a payload schema with ajv, under bounds: whatever the payload, a check takes a bounded number of steps. This file loads the
 * library, so it is imported only where a route checks payloads.
 *
 * Every schema counts its visits, so that choices (`anyOf`) in a schema that refers to itself cannot take exponential time. Patterns run on
 * the linear-time engine. `uniqueItems`, for which ajv compares each item with each other, is our own keyword, and so is `multipleOf`, for
 * which it divides doubles. `format` checks nothing: the library's patterns for formats backtrack, and drafts after draft-07 have it as a
 * note.
 */

import ajvPackage, { type Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { exactOf, saysAll, type WithText } from '../../core/exact-json.ts'
import { compareNumbers, type ExactNumber, numberKey } from '../../core/exact-number.ts'
import { type ExactJson, type ExactObject, isObject, type Json, type JsonObject, own, put } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { compileEqual, compileOneOf, isNumber } from '../equal.ts'
import { compileRegex } from '../regex/regex.ts'
import { TooHard } from '../too-hard.ts'
import { isChecked, nestedIn } from './keywords.ts'
import { compileMultipleOf } from './multiple-of.ts'
import type { PayloadSchema } from './payload-schema.ts'

/** The most steps of a check. A check of a megabyte takes a few hundred thousand, which is some milliseconds. */
const maxSteps = 2_000_000
/** The number of characters of a text, and the number of keys of a map, that count as a step. */
const unitsAStep = 16
const keysAStep = 4
/** The longest text that a pattern searches: the engine would leave out the rest. */
const maxSearched = 1_048_576
/** The steps that the rendering of a value costs in a list whose items must differ. */
const stepsARendering = 3
/** The longest rendered text that is copied into the text of its list or map. A longer text is replaced by a number. */
const maxRendered = 64

/** Says where a payload does not fit, and how; `undefined` for a payload that fits. */
export type Checker = (payload: WithText) => string | undefined

/** Steps of one check. `spend` throws TooHard once there are no steps left. */
class Steps {
  #left = 0
  /** The rendered texts of values, for the keyword that wants all items of a list to differ (`uniqueItems`). */
  rendered = new Rendered(this)

  refill(): void {
    this.#left = maxSteps
    this.rendered = new Rendered(this)
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooHard('checking it would take too long')
  }
}

/** The name of the keyword that counts, which no file can use: it is added to a copy without unknown keywords. */
const stepKeyword = 'headgateSteps'

/** Compiles a schema. The check never throws for a payload; one that would take too long does not fit. */
export const compileChecker = (schema: PayloadSchema): Checker => {
  const steps = new Steps()
  const numbers = new Numbers()
  const check = compileWithin(steps, numbers, schema)
  return (from) => {
    steps.refill()
    try {
      numbers.take(from)
      return check(from.payload) ? undefined : mismatchOf(check.errors ?? [])
    } catch (error) {
      // A schema that refers to itself is checked by recursion, for which a payload may be nested too deep.
      if (error instanceof TooHard) return error.message
      if (error instanceof RangeError) return 'it is nested too deep to be checked'
      throw error
    } finally {
      numbers.forget()
    }
  }
}

/** The place of a value: the list or map around it, and its key there. The payload itself has none. */
type ValuePlace = { readonly parentData?: unknown; readonly parentDataProperty?: string | number }

/** Knows the numbers of the payload that is checked, as they are written. Ajv sees the payload with doubles. */
class Numbers {
  #from: WithText | undefined
  /**
   * For each list or map of the payload that Ajv sees, the same one with its numbers as they are written. Absent before a number is asked
   * for.
   */
  #exact: ReadonlyMap<unknown, ExactJson> | undefined

  take(from: WithText): void {
    this.#from = from
  }

  forget(): void {
    this.#from = undefined
    this.#exact = undefined
  }

  /** Returns a value that ajv sees with its numbers as they are written. */
  of(value: Json, { parentData, parentDataProperty = '' }: ValuePlace = {}): ExactJson {
    if (!this.#from || saysAll(value)) return value
    const root = exactOf(this.#from)
    if (root === this.#from.payload) return value
    this.#exact ??= pairsOf(this.#from.payload, root)
    if (typeof value === 'object') return this.#exact.get(value) ?? value
    const around = this.#exact.get(parentData)
    return around === undefined ? root : ((around as ExactObject)[parentDataProperty] ?? value)
  }
}

/** Pairs the lists and maps of two readings of one text. There is no recursion, because a stranger chose the depth. */
const pairsOf = (payload: Json, exact: ExactJson): Map<unknown, ExactJson> => {
  const pairs = new Map<unknown, ExactJson>()
  const waiting: (readonly [Json, ExactJson])[] = [[payload, exact]]
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const [a, b] = at
    if (typeof a !== 'object' || a === null) continue
    pairs.set(a, b)
    for (const key of Object.keys(a)) waiting.push([(a as JsonObject)[key] as Json, (b as ExactObject)[key] as ExactJson])
  }
  return pairs
}

/** The keywords that bound numbers: the comparison, and whether its result (`compareNumbers`) fits. */
const bounds: { readonly [keyword: string]: readonly [sign: string, fits: (order: number) => boolean] } = {
  maximum: ['<=', (order) => order <= 0],
  minimum: ['>=', (order) => order >= 0],
  exclusiveMaximum: ['<', (order) => order < 0],
  exclusiveMinimum: ['>', (order) => order > 0],
}

/** Replaces the keywords that compare numbers: ajv would compare doubles. */
const addNumberKeywords = (ajv: Ajv, numbers: Numbers): void => {
  for (const [keyword, [sign, fits]] of Object.entries(bounds)) {
    ajv.removeKeyword(keyword)
    ajv.addKeyword({
      keyword,
      type: 'number',
      error: { message: ({ schema }) => `must be ${sign} ${schema}` },
      compile: (limit: number | ExactNumber) => (value: number, place?: ValuePlace) => {
        const exact = numbers.of(value, place)
        return fits(compareNumbers(isNumber(exact) ? exact : value, limit))
      },
    })
  }
  ajv.removeKeyword('const')
  ajv.addKeyword({
    keyword: 'const',
    error: { message: 'must be equal to constant' },
    compile(wanted: ExactJson) {
      const equal = compileEqual(wanted)
      return (value: Json, place?: ValuePlace) => equal(numbers.of(value, place))
    },
  })
  ajv.removeKeyword('enum')
  ajv.addKeyword({
    keyword: 'enum',
    error: { message: 'must be equal to one of the allowed values' },
    compile(wanted: readonly ExactJson[]) {
      const isOneOf = compileOneOf(wanted)
      return (value: Json, place?: ValuePlace) => isOneOf(numbers.of(value, place))
    },
  })
}

const compileWithin = (steps: Steps, numbers: Numbers, { root, exact }: PayloadSchema): ValidateFunction => {
  const regExp = Object.assign(
    (pattern: string) => {
      const regex = compileRegex(pattern)
      return {
        // Ajv compiles each pattern once, and finds a compiled pattern again by this text.
        toString: () => pattern,
        test(text: string) {
          steps.spend(1 + text.length / unitsAStep)
          if (text.length > maxSearched) throw new TooHard('a text is too long for its pattern')
          return regex.test(text)
        },
      }
    },
    { code: 'linear' },
  )
  const ajv = new ajvPackage.Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    meta: false,
    logger: false,
    ownProperties: true,
    // The generated code is to be short: it is made while events wait.
    inlineRefs: false,
    loopRequired: 5,
    loopEnum: 5,
    code: { regExp: regExp as never, optimize: false },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    compile: (isWanted: boolean) => (items: Json[]) => !isWanted || steps.rendered.areUnique(items, () => numbers.of(items) as ExactJson[]),
  })
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    error: { message: ({ schema }) => `must be multiple of ${schema}` },
    compile(factor: number | ExactNumber) {
      const isMultiple = compileMultipleOf(factor, (spent) => steps.spend(spent))
      return (value: number, place?: ValuePlace) => {
        const exact = numbers.of(value, place)
        return isMultiple(isNumber(exact) ? exact : value)
      }
    },
  })
  ajv.addKeyword({
    keyword: stepKeyword,
    before: '$ref',
    compile: (weight: Weight) => (data: Json) => {
      steps.spend(weight.always + sizeOf(data) * (isObject(data) ? weight.aMap : 1))
      return true
    },
  })
  addNumberKeywords(ajv, numbers)
  return ajv.compile(counting(root, exact) as JsonObject | boolean)
}

/** The steps of a visit to a schema: always, and for each step of a map's size. */
type Weight = { always: number; aMap: number }

const sizeOf = (data: Json): number => {
  if (typeof data === 'string') return data.length / unitsAStep
  return isObject(data) ? Object.keys(data).length / keysAStep : 0
}

const lengthOf = (value: Json | undefined): number =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0

/** The keywords that check every key of a map. */
const keyLoops = ['additionalProperties', 'propertyNames', 'minProperties', 'maxProperties']

const weightOf = (schema: JsonObject): Weight => ({
  always: 1 + (lengthOf(schema.required) + lengthOf(schema.properties) + lengthOf(schema.enum) + lengthOf(schema.dependencies)) / 8,
  aMap: keyLoops.filter((keyword) => schema[keyword] !== undefined).length + lengthOf(schema.patternProperties) * 2 + lengthOf(schema.enum),
})

const proto = '__proto__'
const memberOf = (map: Json | undefined): Json | undefined => (isObject(map) ? own(map, proto) : undefined)

/**
 * Repeats in other words what the members named `__proto__` of a schema say, because ajv passes over that name in three maps. The members
 * stay, because a `$ref` may lead to them.
 */
const withProto = (schema: JsonObject): JsonObject => {
  const patterns = [
    { pattern: `^${proto}$`, inner: memberOf(schema.properties) },
    { pattern: `(?:${proto})`, inner: memberOf(schema.patternProperties) },
  ].flatMap(({ pattern, inner }) => (inner === undefined ? [] : [[freeIn(schema.patternProperties, pattern), inner] as const]))
  const dependency = memberOf(schema.dependencies)
  return {
    ...schema,
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries([...Object.entries(schema.patternProperties ?? {}), ...patterns]) }),
    ...(dependency !== undefined && {
      allOf: [
        ...((schema.allOf ?? []) as Json[]),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        { if: { required: [proto] }, then: Array.isArray(dependency) ? { required: dependency } : dependency },
      ],
    }),
  }
}

/** Returns a pattern that finds the same, and that a map does not have yet. */
const freeIn = (map: Json | undefined, pattern: string): string =>
  isObject(map) && Object.hasOwn(map, pattern) ? freeIn(map, `(?:${pattern})`) : pattern

/** The keywords whose numbers are compared as they are written. */
const exactKeywords: readonly string[] = [...Object.keys(bounds), 'const', 'enum', 'multipleOf']

const exactMember = (exact: ExactJson | undefined, keyword: string): ExactJson | undefined =>
  isObject(exact) && exactKeywords.includes(keyword) ? own(exact, keyword) : undefined

/** Returns a copy in which every schema has the keyword that counts steps. Keywords that check nothing, such as notes, are left out. */
const counting = (written: Json, exact: ExactJson | undefined): ExactJson => {
  if (!isObject(written)) return written
  const schema = withProto(written)
  const kept = Object.entries(schema).filter(([keyword]) => isChecked(keyword))
  const copy: ExactObject = {
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, exactMember(exact, keyword) ?? shallow(value)])),
    [stepKeyword]: weightOf(schema),
  }
  for (const { schema: inner, path } of nestedIn(schema)) {
    const [keyword = '', key] = path
    const of = isObject(exact) ? own(exact, keyword) : undefined
    const below = key === undefined ? of : isObject(of) || Array.isArray(of) ? own(of as ExactObject, key) : undefined
    if (key === undefined) copy[keyword] = counting(inner, below)
    else put(copy[keyword] as ExactObject, key, counting(inner, below))
  }
  return copy
}

const shallow = (value: Json): Json =>
  Array.isArray(value) ? [...value] : isObject(value) ? Object.fromEntries(Object.entries(value)) : value

/**
 * Renders values for one check, so that equal values have the same text, whatever the order of their keys. In place of a long text stands
 * its number. So no text is copied into all that is around it, and the time grows with the size of a payload, not with its depth.
 */
class Rendered {
  readonly #steps: Steps
  readonly #numbers = new Map<string, string>()
  readonly #containers = new Map<ExactJson, string>()
  readonly #keys = new Map<string, string>()
  readonly #lists = new Map<readonly ExactJson[], boolean>()

  constructor(steps: Steps) {
    this.#steps = steps
  }

  /**
   * Whether all items of a list differ. Several schemas may ask it of one list. Where the doubles differ, so do the numbers, so the list
   * with exact numbers (`exact`) is looked at only where two doubles are equal.
   */
  areUnique(items: readonly Json[], exact: () => readonly ExactJson[]): boolean {
    const known = this.#lists.get(items)
    if (known !== undefined) return known
    const areUnique = this.#differ(items, true) || this.#differExactly(items, exact())
    this.#lists.set(items, areUnique)
    return areUnique
  }

  #differExactly(items: readonly Json[], exact: readonly ExactJson[]): boolean {
    return exact !== items && this.#differ(exact, false)
  }

  /** Whether no two items are equal. `areDoubles`: no number of the items is an `ExactNumber`, so equal numbers have equal texts. */
  #differ(items: readonly ExactJson[], areDoubles: boolean): boolean {
    this.#steps.spend(items.length)
    const numbers: number[] = []
    const texts = new Set<string>()
    const rendered = new Set<string>()
    for (const item of items) {
      if (areDoubles && typeof item === 'number') numbers.push(item)
      else if (typeof item !== 'string') {
        if (rendered.size === rendered.add(this.#textOf(item)).size) return false
      } else {
        this.#steps.spend(item.length / unitsAStep)
        if (texts.size === texts.add(item).size) return false
      }
    }
    // Numbers are sorted, because V8 has the same hash for some of them in every process, which a stranger could use.
    const sorted = Float64Array.from(numbers).sort()
    for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) return false
    return true
  }

  #textOf(value: ExactJson): string {
    if (typeof value === 'string') return this.#short(JSON.stringify(value))
    // The space keeps a stranger from choosing numbers whose texts have the same hash.
    if (typeof value !== 'object' || value === null) return this.#short(` ${value}`)
    if (isNumber(value)) return this.#short(` ${numberKey(value)}`)
    const known = this.#containers.get(value)
    if (known !== undefined) return this.#short(known)
    const text = this.#short(Array.isArray(value) ? this.#listText(value) : this.#mapText(value))
    if (text.startsWith('#')) this.#containers.set(value, text)
    return text
  }

  #listText(list: readonly ExactJson[]): string {
    let text = '['
    for (const item of list) text += `${this.#textOf(item)},`
    return text
  }

  #mapText(map: ExactObject): string {
    const keys = Object.keys(map)
    if (keys.length > 1) keys.sort()
    let text = '{'
    for (const key of keys) text += `${this.#quoted(key)}:${this.#textOf(map[key] as ExactJson)},`
    return text
  }

  #quoted(key: string): string {
    const known = this.#keys.get(key)
    if (known !== undefined) return known
    const quoted = JSON.stringify(key)
    this.#keys.set(key, quoted)
    return quoted
  }

  #short(text: string): string {
    this.#steps.spend(stepsARendering + text.length / unitsAStep)
    if (text.length <= maxRendered) return text
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = `#${this.#numbers.size}`
    this.#numbers.set(text, number)
    return number
  }
}

const maxShown = 120

/**
 * Says what is wrong: the path in the payload, and the rule. Values are not quoted. Keys are, because nothing else shows which is meant.
 * Where several branches of a choice fail, the choice itself comes last.
 */
const mismatchOf = (errors: readonly ErrorObject[]): string => {
  const { instancePath, message = 'does not fit', params, keyword } = errors.at(-1) as ErrorObject
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const extra = keyword === 'additionalProperties' ? `: "${printable(String(params.additionalProperty), maxShown)}"` : ''
  return `${path.length === 0 ? 'the payload' : printable(path.join('.'), maxShown)} ${message}${extra}`
}
