/** Walks data beside the schema that describes it, so that rules written in the schema find their values. */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { schema as whole } from '../generated/schema.ts'

const definitions = whole.definitions as JsonObject

/** A definition of the bundled schema, by name. */
export const definition = (name: string): JsonObject => definitions[name] as JsonObject

/** What a schema calls the type of a value. */
export const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** The schema that speaks about this value: references followed, of a union the branch that fits its type. */
const settle = (node: JsonObject, value: Json): JsonObject => {
  if (typeof node.$ref === 'string') {
    // A plugin's schema may have definitions of its own: nothing is known of them here.
    const named = own(definitions, node.$ref.slice('#/definitions/'.length))
    return isObject(named) ? settle(named, value) : {}
  }
  if (!Array.isArray(node.oneOf)) return node
  const branches = (node.oneOf as JsonObject[]).map((branch) => settle(branch, value))
  return branches.find((branch) => branch.type === typeOf(value)) ?? node
}

/** The schema of one member of an object or list that `node` describes. */
const member = (node: JsonObject, key: string | number): JsonObject | undefined => {
  if (typeof key === 'number') return isObject(node.items) ? node.items : undefined
  const named = isObject(node.properties) ? own(node.properties, key) : undefined
  if (isObject(named)) return named
  const patterned = isObject(node.patternProperties) ? Object.entries(node.patternProperties) : []
  const [, matching] = patterned.find(([pattern]) => new RegExp(pattern, 'u').test(key)) ?? []
  if (isObject(matching)) return matching
  return isObject(node.additionalProperties) && !key.startsWith('x-') ? node.additionalProperties : undefined
}

export type Visit = (node: JsonObject, value: Json, path: Path) => void

/** Calls `visit` for every value that the schema describes, outermost first. */
export const walk = (root: JsonObject, value: Json, visit: Visit, path: Path = []): void => {
  const node = settle(root, value)
  visit(node === root ? root : { ...root, ...node }, value, path)
  const members: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  for (const [key, item] of members) {
    const next = member(node, key)
    if (next) walk(next, item, visit, [...path, key])
  }
}

/** The schema at a path into data, for messages that name what is known there. */
export const schemaAt = (root: JsonObject, data: Json, path: Path): JsonObject => {
  let found: JsonObject = {}
  const wanted = path.join('\u0000')
  walk(root, data, (node, _value, at) => {
    if (at.length === path.length && at.join('\u0000') === wanted) found = node
  })
  return found
}

export const configSchema: JsonObject = whole
