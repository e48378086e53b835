/**
 * Walks through data and its JSON Schema side by side, to find the values whose schema has a certain keyword (`x-secret`), or the schema of
 * one value.
 */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { schema as whole } from '../generated/schema.ts'

const definitions = whole.definitions as JsonObject

export const definition = (name: string): JsonObject => definitions[name] as JsonObject

/** Returns the type of a value, in the words of a schema. */
export const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Returns the schema of a value: references are followed, and of a union the branch for the value's type is taken, where it has one. */
export const schemaOfValue = (node: JsonObject, value: Json): JsonObject => {
  if (typeof node.$ref === 'string') {
    // The schema of a plugin may refer to definitions of its own, which the bundled schema does not have.
    const named = own(definitions, node.$ref.slice('#/definitions/'.length))
    return isObject(named) ? schemaOfValue(named, value) : {}
  }
  if (!Array.isArray(node.oneOf)) return node
  const branches = (node.oneOf as JsonObject[]).map((branch) => schemaOfValue(branch, value))
  return branches.find((branch) => branch.type === typeOf(value)) ?? node
}

const patterns = new Map<string, RegExp>()
const patternOf = (source: string): RegExp => {
  const pattern = patterns.get(source) ?? new RegExp(source, 'u')
  patterns.set(source, pattern)
  return pattern
}

/** Returns the schema of one member of a map or list that `node` describes; `undefined` where the schema says nothing of the member. */
export const memberSchema = (node: JsonObject, key: string | number): JsonObject | undefined => {
  if (typeof key === 'number') return isObject(node.items) ? node.items : undefined
  const named = isObject(node.properties) ? own(node.properties, key) : undefined
  if (isObject(named)) return named
  const patterned = isObject(node.patternProperties) ? Object.entries(node.patternProperties) : []
  const [, matching] = patterned.find(([pattern]) => patternOf(pattern).test(key)) ?? []
  if (isObject(matching)) return matching
  return isObject(node.additionalProperties) && !key.startsWith('x-') ? node.additionalProperties : undefined
}

const keywordAnswers = new Map<string, WeakMap<object, boolean>>()

/** Whether a keyword stands in a schema node, or anywhere below. Where it does not, the data of the node need not be walked. */
const leadsTo = (node: JsonObject, word: string): boolean => {
  const answers = keywordAnswers.get(word) ?? new WeakMap<object, boolean>()
  keywordAnswers.set(word, answers)
  const answer = answers.get(node) ?? containsKeyword(node, word, new Set())
  answers.set(node, answer)
  return answer
}

const containsKeyword = (node: Json, word: string, seen: Set<object>): boolean => {
  if (typeof node !== 'object' || node === null || seen.has(node)) return false
  seen.add(node)
  if (Array.isArray(node)) return node.some((item) => containsKeyword(item, word, seen))
  if (Object.hasOwn(node, word)) return true
  const named = typeof node.$ref === 'string' ? own(definitions, node.$ref.slice('#/definitions/'.length)) : undefined
  return (
    (named !== undefined && containsKeyword(named, word, seen)) || Object.values(node).some((value) => containsKeyword(value, word, seen))
  )
}

/** Takes a value with its schema `node` and its path. Returns the value to put in its place, or the value itself. */
export type ChangeNode = (node: JsonObject, value: Json, path: Path) => Json

/**
 * Returns a copy of `value`, which the schema `root` describes. In the copy, `change` has replaced each value whose schema has the keyword
 * `word`: a map or list first, then its members. Where nothing was replaced, `value` itself is returned.
 */
export const mapWhere = (word: string, root: JsonObject, value: Json, change: ChangeNode, path: Path = []): Json => {
  const node = schemaOfValue(root, value)
  const saysIt = Object.hasOwn(root, word) || Object.hasOwn(node, word)
  const made = saysIt ? change(node === root ? root : { ...root, ...node }, value, path) : value
  if (typeof made !== 'object' || made === null) return made
  const below = (item: Json, key: string | number): Json => {
    const next = memberSchema(node, key)
    return next && leadsTo(next, word) ? mapWhere(word, next, item, change, [...path, key]) : item
  }
  if (Array.isArray(made)) {
    const items = made.map(below)
    return items.some((item, i) => item !== made[i]) ? items : made
  }
  const changed: [string, Json][] = []
  for (const key of Object.keys(made)) {
    const item = made[key] as Json
    const next = below(item, key)
    if (next !== item) changed.push([key, next])
  }
  return changed.length > 0 ? { ...made, ...Object.fromEntries(changed) } : made
}

/** Returns the schema of the value at a path into `data`, which the schema `root` describes; empty where the path leads nowhere. */
export const schemaAt = (root: JsonObject, data: Json, path: Path): JsonObject => {
  let [node, value]: [JsonObject, Json | undefined] = [root, data]
  for (const key of path) {
    const next = value === undefined ? undefined : memberSchema(schemaOfValue(node, value), key)
    if (!next) return {}
    node = next
    value = Array.isArray(value) ? value[Number(key)] : isObject(value) ? own(value, String(key)) : undefined
  }
  if (value === undefined) return {}
  const settled = schemaOfValue(node, value)
  return settled === node ? node : { ...node, ...settled }
}

export const configSchema: JsonObject = whole
