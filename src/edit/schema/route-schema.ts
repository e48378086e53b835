/** The schema of a route alone, for an editor that completes and explains its keys. */

import { definition } from '../../config/schema-walk.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'

const keywords: ReadonlySet<string> = new Set([
  '$ref',
  'title',
  'description',
  'type',
  'enum',
  'enumDescriptions',
  'const',
  'default',
  'examples',
  'properties',
  'additionalProperties',
  'items',
  'oneOf',
])

/** Returns the definitions that routes are made of, by their names. The definition of a route is `Route`; `$ref` is `#/definitions/NAME`. */
export const routeSchema = (): { readonly [name: string]: JsonObject } => {
  const found = new Map<string, JsonObject>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.set(name, {})
    found.set(name, shortened(definition(name), add))
  }
  add('Route')
  return Object.fromEntries(found)
}

/** Returns a node with the keywords that are needed, and calls `refersTo` with the name of each definition that it refers to. */
const shortened = (node: JsonObject, refersTo: (name: string) => void): JsonObject => {
  if (typeof node.$ref === 'string') refersTo(node.$ref.slice('#/definitions/'.length))
  const below = (value: Json): Json => (Array.isArray(value) ? value.map(below) : isObject(value) ? shortened(value, refersTo) : value)
  const kept = Object.entries(node).filter(([key]) => keywords.has(key))
  return Object.fromEntries(
    kept.map(([key, value]): [string, Json] => {
      if (key === 'properties' && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, member]): [string, Json] => [name, below(member)]))]
      return [key, ['items', 'additionalProperties', 'oneOf'].includes(key) ? below(value) : value]
    }),
  )
}
