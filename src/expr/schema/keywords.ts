/**
 * The keywords of JSON Schema, draft-07, that a payload schema may use: the form of each keyword's value, and where further schemas stand
 * in it. Source: https://json-schema.org/draft-07/json-schema-validation.
 */

import { isObject, type Json } from '../../core/json.ts'

type Form = { readonly fits: (value: Json) => boolean; readonly wanted: string }

const count: Form = { fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0, wanted: 'a whole number from 0 on' }
const number: Form = { fits: (value) => typeof value === 'number', wanted: 'a number' }
const truth: Form = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' }
const text: Form = { fits: (value) => typeof value === 'string', wanted: 'a text' }
const any: Form = { fits: () => true, wanted: 'a value' }
const isTexts = (value: Json): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

const types = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']
const isType = (value: Json): boolean => typeof value === 'string' && types.includes(value)

/** The keywords whose values hold no schemas. */
const plain: { readonly [keyword: string]: Form } = {
  type: {
    fits: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    wanted: `one of ${types.join(', ')}, or a list of these`,
  },
  enum: { fits: (value) => Array.isArray(value) && value.length > 0, wanted: 'a list with values' },
  const: any,
  multipleOf: { fits: (value) => Number.isFinite(value) && Number(value) > 0, wanted: 'a number above 0' },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  maxItems: count,
  minItems: count,
  maxProperties: count,
  minProperties: count,
  uniqueItems: truth,
  required: { fits: isTexts, wanted: 'a list of texts' },
  pattern: text,
  $ref: text,
}

const isSchema = (value: Json): boolean => isObject(value) || typeof value === 'boolean'
const one: Form = { fits: isSchema, wanted: 'a schema' }
const list: Form = { fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema), wanted: 'a list of schemas' }
const map: Form = { fits: (value) => isObject(value) && Object.values(value).every(isSchema), wanted: 'a map of schemas' }

/** The keywords whose values are schemas, or lists or maps of schemas. */
const nested: { readonly [keyword: string]: Form } = {
  items: { fits: (value) => isSchema(value) || list.fits(value), wanted: 'a schema or a list of schemas' },
  additionalItems: one,
  contains: one,
  propertyNames: one,
  additionalProperties: one,
  not: one,
  if: one,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: one,
  else: one,
  allOf: list,
  anyOf: list,
  oneOf: list,
  properties: map,
  patternProperties: map,
  definitions: map,
  $defs: map,
  dependencies: {
    fits: (value) => isObject(value) && Object.values(value).every((item) => isSchema(item) || isTexts(item)),
    wanted: 'a map of schemas, or of lists of texts',
  },
}

/** Keywords of later drafts that would let other payloads pass if they were left out. */
const later: ReadonlySet<string> = new Set([
  '$anchor',
  '$dynamicRef',
  '$recursiveRef',
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** Returns what is wrong with the value of a keyword; `undefined` where nothing is. */
export const keywordProblem = (keyword: string, value: Json): string | undefined => {
  if (later.has(keyword)) return `"${keyword}" is of a later draft of JSON Schema than draft-07, and would check nothing`
  const form = formOf(keyword)
  return form && !form.fits(value) ? `"${keyword}" must be ${form.wanted}` : undefined
}

const formOf = (keyword: string): Form | undefined =>
  Object.hasOwn(plain, keyword) ? plain[keyword] : Object.hasOwn(nested, keyword) ? nested[keyword] : undefined

/** Whether a keyword restricts payloads. Notes (`title`, `format`, `default`) and words of other programs do not. */
export const isChecked = (keyword: string): boolean => formOf(keyword) !== undefined

/** A schema inside another schema, with its path from there. */
export type Nested = { readonly schema: Json; readonly path: readonly string[] }

/** Returns the schemas directly inside a schema of the right form. */
export const nestedIn = (schema: { readonly [keyword: string]: Json }): Nested[] =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    if (!Object.hasOwn(nested, keyword)) return []
    if (nested[keyword] === one || (keyword === 'items' && !Array.isArray(value))) return [{ schema: value, path: [keyword] }]
    return Object.entries(value as { [key: string]: Json }).flatMap(([key, inner]) =>
      isSchema(inner) ? [{ schema: inner, path: [keyword, key] }] : [],
    )
  })
