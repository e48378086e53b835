/**
 * Compiles a payload schema with ajv, under bounds: whatever the payload, a check takes a bounded number of steps. This file loads the
 * library, so it is imported only where a route checks payloads.
 *
 * Every schema counts its visits, so that choices (`anyOf`) in a schema that refers to itself cannot take exponential time. Patterns run on
 * the linear-time engine. `uniqueItems`, for which ajv compares each item with each other, is our own keyword. `format` checks nothing: the
 * library's patterns for formats backtrack, and drafts after draft-07 have it as a note.
 */

import ajvPackage, { type ErrorObject, type ValidateFunction } from 'ajv'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { compileRegex, TooHard } from '../regex/regex.ts'
import { isChecked, nestedIn } from './keywords.ts'
import type { PayloadSchema } from './payload-schema.ts'

/** The most steps of a check. A check of a megabyte takes a few hundred thousand, which is some milliseconds. */
const maxSteps = 2_000_000
/** The number of characters of a text, and the number of keys of a map, that count as a step. */
const unitsAStep = 16
const keysAStep = 4
/** The longest text that a pattern searches: the engine would leave out the rest. */
const maxSearched = 1_048_576
/** The steps of an item in a list whose items must differ, and of rendering a value in it. */
const stepsAnItem = 7
const stepsARendering = 3

/** Says where a payload does not fit, and how; `undefined` for a payload that fits. */
export type Checker = (payload: Json) => string | undefined

/** Steps of one check. `spend` throws TooHard once there are no steps left. */
class Steps {
  #left = 0

  refill(): void {
    this.#left = maxSteps
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new TooHard('checking it would take too long')
  }
}

/** The name of the keyword that counts, which no file can use: it is added to a copy without unknown keywords. */
const stepKeyword = 'headgateSteps'

/** Compiles a schema. The check never throws for a payload; one that would take too long does not fit. */
export const compileChecker = ({ root }: PayloadSchema): Checker => {
  const steps = new Steps()
  const check = compileWithin(steps, root)
  return (payload) => {
    steps.refill()
    try {
      return check(payload) ? undefined : mismatchOf(check.errors ?? [])
    } catch (error) {
      // A schema that refers to itself is checked by recursion, for which a payload may be nested too deep.
      if (error instanceof TooHard) return error.message
      if (error instanceof RangeError) return 'it is nested too deep to be checked'
      throw error
    }
  }
}

const compileWithin = (steps: Steps, root: Json): ValidateFunction => {
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
    compile: (isWanted: boolean) => (items: Json[]) => !isWanted || areUnique(items, steps),
  })
  ajv.addKeyword({
    keyword: stepKeyword,
    before: '$ref',
    compile: (weight: Weight) => (data: Json) => {
      steps.spend(weight.always + sizeOf(data) * (isObject(data) ? weight.aMap : 1))
      return true
    },
  })
  return ajv.compile(counting(root) as JsonObject | boolean)
}

/** The steps of a visit to a schema: always, and for each step of a map's size. */
type Weight = { always: number; aMap: number }

const sizeOf = (data: Json): number => {
  if (typeof data === 'string') return data.length / unitsAStep
  return isObject(data) ? Object.keys(data).length / keysAStep : 0
}

const lengthOf = (value: Json | undefined): number =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0

/** The keywords that look at every key of a map. */
const keyLoops = ['additionalProperties', 'propertyNames', 'minProperties', 'maxProperties']

const weightOf = (schema: JsonObject): Weight => ({
  always: 1 + (lengthOf(schema.required) + lengthOf(schema.properties) + lengthOf(schema.enum) + lengthOf(schema.dependencies)) / 8,
  aMap: keyLoops.filter((keyword) => schema[keyword] !== undefined).length + lengthOf(schema.patternProperties) * 2 + lengthOf(schema.enum),
})

/** Returns a copy in which every schema counts, without notes and without keywords that only other programs know. */
const counting = (schema: Json): Json => {
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword]) => isChecked(keyword))
  const copy: JsonObject = {
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, shallow(value)])),
    [stepKeyword]: weightOf(schema),
  }
  for (const { schema: inner, path } of nestedIn(schema)) {
    const [keyword = '', key] = path
    if (key === undefined) copy[keyword] = counting(inner)
    else put(copy[keyword] as JsonObject, key, counting(inner))
  }
  return copy
}

const shallow = (value: Json): Json =>
  Array.isArray(value) ? [...value] : isObject(value) ? Object.fromEntries(Object.entries(value)) : value

/** Sets a member of a list or map, also one that is named `__proto__`. */
const put = (into: JsonObject, key: string, value: Json): void => {
  Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Whether all items differ, in time that grows with the size of the list and not with its square. */
const areUnique = (items: readonly Json[], steps: Steps): boolean => {
  const seen = new Set<string>()
  for (const item of items) {
    steps.spend(stepsAnItem)
    const text = canonical(item, steps)
    if (seen.has(text)) return false
    seen.add(text)
  }
  return true
}

/**
 * Renders a value as a text that is the same for all equal values: the keys of maps are sorted. The text of a value is copied into that of
 * each list and map around it, so its length counts at each depth.
 */
const canonical = (value: Json, steps: Steps): string => {
  const text = render(value, steps)
  steps.spend(stepsARendering + text.length / unitsAStep)
  return text
}

const render = (value: Json, steps: Steps): string => {
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) parts.push(canonical(item, steps))
    return `[${parts.join()}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  for (const key of Object.keys(value).sort()) parts.push(`${JSON.stringify(key)}:${canonical(value[key] as Json, steps)}`)
  return `{${parts.join()}}`
}

const maxShown = 120

/**
 * Says what is wrong: the path in the payload, and the rule. Values are not quoted. Keys are, because nothing else tells which is meant.
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
