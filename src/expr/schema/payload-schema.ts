/**
 * Reads a payload schema: JSON Schema, draft-07, within bounds. What could make a check read another file, or take long on the payload of a
 * stranger, is a problem of the schema.
 */

import { exactOf } from '../../core/exact-json.ts'
import { type ExactJson, isObject, type Json, type JsonObject } from '../../core/json.ts'
import { BadPattern, checkRe2 } from '../regex/regex.ts'
import { keywordProblem, nestedIn } from './keywords.ts'

/** The most bytes of a schema's file, and how deep its schemas may nest. */
export const maxSchemaBytes = 1_048_576
const maxDepth = 100
/**
 * The most schemas that a payload may be checked by, those behind references included. Compiling a thousand takes a quarter of a second.
 */
const maxReached = 3_000

/** A problem of a schema. `pointer`: where it stands in the file (RFC 6901), empty for the whole. */
export type SchemaProblem = { readonly pointer: string; readonly message: string }

/** A schema without problems. `exact`: the schema with its numbers as they are written. */
export type PayloadSchema = { readonly root: Json; readonly exact: ExactJson }

/** Reads the text of a schema. Returns the first problem instead where there is one. */
export const parseSchema = (text: string): PayloadSchema | SchemaProblem => {
  let root: Json
  try {
    root = JSON.parse(text.replace(/^\ufeff/, '')) as Json
  } catch {
    return { pointer: '', message: 'it is not JSON' }
  }
  if (!isObject(root) && typeof root !== 'boolean') return { pointer: '', message: 'a schema is a JSON object' }
  return findProblem(root) ?? { root, exact: exactOf({ payload: root, text: text.replace(/^\ufeff/, '') }) }
}

/** Checks all schemas of a file. */
const findProblem = (root: Json): SchemaProblem | undefined => {
  const seen = new Set<Json>()
  const references: { readonly pointer: string; readonly to: string }[] = []
  const waiting: { readonly schema: Json; readonly pointer: string; readonly depth: number }[] = [{ schema: root, pointer: '', depth: 0 }]
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const { schema, pointer, depth } = at
    if (!isObject(schema)) continue
    if (depth > maxDepth) return { pointer, message: `schemas nest deeper than ${maxDepth}` }
    seen.add(schema)
    const problem = problemOf(schema, pointer)
    if (problem) return problem
    if (typeof schema.$ref === 'string') references.push({ pointer: `${pointer}/$ref`, to: schema.$ref })
    for (const inner of nestedIn(schema))
      waiting.push({ schema: inner.schema, pointer: pointer + inner.path.map(pointerPart).join(''), depth: depth + 1 })
  }
  const lost = references.find(({ to }) => {
    const target = schemaAtReference(root, to)
    return typeof target !== 'boolean' && !seen.has(target as Json)
  })
  if (!lost)
    return reachesTooMany(root) ? { pointer: '', message: `a payload would be checked by more than ${maxReached} schemas` } : undefined
  const isOutside = !lost.to.startsWith('#')
  return {
    pointer: lost.pointer,
    message: isOutside ? '"$ref" may only lead into the same file: it begins with #/' : '"$ref" leads to no schema of this file',
  }
}

/** Whether too many schemas are to be compiled. Definitions count where a reference leads to them. */
const reachesTooMany = (root: Json): boolean => {
  const reached = new Set<Json>()
  const waiting: Json[] = [root]
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (!isObject(schema) || reached.has(schema)) continue
    if (reached.size >= maxReached) return true
    reached.add(schema)
    for (const { schema: inner, path } of nestedIn(schema)) if (path[0] !== 'definitions' && path[0] !== '$defs') waiting.push(inner)
    if (typeof schema.$ref === 'string') waiting.push(schemaAtReference(root, schema.$ref) as Json)
  }
  return false
}

const problemOf = (schema: JsonObject, pointer: string): SchemaProblem | undefined => {
  if (schema.$async !== undefined) return { pointer, message: 'it is asynchronous' }
  if (pointer !== '' && schema.$id !== undefined) return { pointer: `${pointer}/$id`, message: 'only the whole file may have an "$id"' }
  for (const [keyword, value] of Object.entries(schema)) {
    const message = keywordProblem(keyword, value)
    if (message !== undefined) return { pointer: `${pointer}${pointerPart(keyword)}`, message }
  }
  for (const { pattern, path } of patternsOf(schema)) {
    const message = patternProblem(pattern)
    if (message !== undefined) return { pointer: pointer + path.map(pointerPart).join(''), message }
  }
  return undefined
}

const patternsOf = ({ pattern, patternProperties }: JsonObject): { readonly pattern: string; readonly path: readonly string[] }[] => [
  ...(typeof pattern === 'string' ? [{ pattern, path: ['pattern'] }] : []),
  ...(isObject(patternProperties)
    ? Object.keys(patternProperties).map((each) => ({ pattern: each, path: ['patternProperties', each] }))
    : []),
]

const patternProblem = (pattern: string): string | undefined => {
  try {
    checkRe2(pattern)
    return undefined
  } catch (error) {
    if (error instanceof BadPattern) return error.message
    throw error
  }
}

const pointerPart = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Returns the value to which a reference inside a file leads; `undefined` where it leads nowhere. */
export const schemaAtReference = (root: Json, reference: string): Json | undefined => {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  let at: Json | undefined = root
  for (const part of reference.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    at = (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, key) ? (at as JsonObject)[key] : undefined
  }
  return at
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
