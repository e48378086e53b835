/** Says which dotted paths the payloads of a schema can have. */

import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { partsOf, pathBelow } from '../path-parts.ts'
import { compileRegex } from '../regex/regex.ts'
import { type PayloadSchema, schemaAtReference } from './payload-schema.ts'

const maxPaths = 5_000
const maxKeys = 12

const listIndex = /^(?:0|[1-9]\d{0,9})$/

/**
 * Whether no payload that fits the schema has a value at the path. `false` where that is not sure: a map is open to keys that the schema
 * does not name, unless it forbids them.
 */
export const excludesPath = ({ root }: PayloadSchema, path: string): boolean => isExcluded(root, partsOf(path), root, new Set())

/**
 * As `excludesPath`, for a schema inside the payload schema. `around`: the schemas on the way to this one that were asked about the same
 * steps, because references may go in a circle.
 */
const isExcluded = (schema: Json | undefined, steps: readonly string[], root: Json, around: ReadonlySet<Json>): boolean => {
  if (!isObject(schema) || around.has(schema)) return schema === false
  const within = new Set([...around, schema])
  const same = (inner: Json | undefined): boolean => isExcluded(inner, steps, root, within)
  const { $ref, allOf = [], anyOf, oneOf } = schema
  if (typeof $ref === 'string' && same(schemaAtReference(root, $ref))) return true
  if ((allOf as Json[]).some(same)) return true
  if ([anyOf, oneOf].some((branches) => Array.isArray(branches) && branches.every(same))) return true
  const [step, ...rest] = steps
  if (step === undefined) return false
  const below = (inner: Json): boolean => isExcluded(inner, rest, root, new Set())
  const inMap = mayBe(schema, 'object') && !membersOf(schema, step).some(below)
  const inList = listIndex.test(step) && mayBe(schema, 'array') && !below(itemOf(schema, Number(step)))
  return !inMap && !inList
}

const mayBe = ({ type }: JsonObject, kind: 'object' | 'array'): boolean => type === undefined || [type].flat().includes(kind)

/** Returns the schemas that the value at a key must fit. */
const membersOf = ({ properties, patternProperties, additionalProperties = true }: JsonObject, key: string): Json[] => {
  const named = isObject(properties) ? own(properties, key) : undefined
  const byPattern = isObject(patternProperties)
    ? Object.entries(patternProperties).flatMap(([pattern, schema]) => (compileRegex(pattern).test(key) ? [schema] : []))
    : []
  const listed = [...(named === undefined ? [] : [named]), ...byPattern]
  return listed.length > 0 ? listed : [additionalProperties]
}

const itemOf = ({ items = true, additionalItems = true }: JsonObject, index: number): Json =>
  Array.isArray(items) ? (items[index] ?? additionalItems) : items

/** A path that the schema names, with the kinds of its values: empty where the schema does not say. */
export type SchemaPath = { readonly path: string; readonly kinds: readonly string[] }

/**
 * Returns the paths that a schema names, the outer ones first: at most 5,000, of at most twelve keys. An item of a list has the index 0.
 * Left out are keys that no path can name.
 */
export const schemaPaths = ({ root }: PayloadSchema): readonly SchemaPath[] => {
  const found = new Map<string, Set<string>>()
  let level: readonly SchemaPlace[] = [{ schema: root, path: '' }]
  for (let depth = 0; depth < maxKeys && level.length > 0; depth++) {
    level = level.flatMap((place) => below(place, root)).slice(0, maxPaths - found.size)
    for (const { schema, path } of level) {
      const kinds = equivalents(schema, root).flatMap(({ type = [] }) => [type].flat().map(String))
      found.set(path, new Set([...(found.get(path) ?? []), ...kinds]))
    }
  }
  return [...found].map(([path, kinds]) => ({ path, kinds: [...kinds] }))
}

type SchemaPlace = { readonly schema: Json; readonly path: string }

const below = ({ schema, path }: SchemaPlace, root: Json): SchemaPlace[] =>
  equivalents(schema, root).flatMap(({ properties, items }) => [
    ...(isObject(properties) ? Object.entries(properties) : []).flatMap(([key, inner]) =>
      key === '' || /[\s{}]/.test(key) || inner === false ? [] : [{ schema: inner, path: pathBelow(path, key) }],
    ),
    ...(items === undefined || items === false ? [] : [{ schema: [items].flat()[0] as Json, path: pathBelow(path, 0) }]),
  ])

/** Returns a schema with all that stand for the same value: behind references, and branches. */
const equivalents = (schema: Json, root: Json): JsonObject[] => {
  const all = new Set<JsonObject>()
  const waiting: (Json | undefined)[] = [schema]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!isObject(at) || all.has(at)) continue
    all.add(at)
    const { $ref, allOf, anyOf, oneOf, then: whenSo, else: whenNot } = at
    if (typeof $ref === 'string') waiting.push(schemaAtReference(root, $ref) ?? true)
    waiting.push(...[allOf, anyOf, oneOf].flatMap((branches) => (Array.isArray(branches) ? branches : [])))
    waiting.push(...[whenSo, whenNot].filter(isObject))
  }
  return [...all]
}
