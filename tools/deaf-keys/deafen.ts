/** Takes one key of the schema out of data that were checked, as if the program had never read it. */

import { configSchema, definition } from '../../src/config/schema-walk.ts'
import { isObject, type Json, type JsonObject, own } from '../../src/core/json.ts'

/**
 * Takes the key that `HEADGATE_DEAF_TO` names out of `data`, which the schema `root` describes. It is named by a definition and the path in
 * it, with dots: `Route.respond.status`; `*` stands for a name that people choose, and for an item.
 */
export const deafen = (root: JsonObject, data: Json): void => {
  if (process.env.HEADGATE_DEAF_TO) walk(root, data, nameOf(root))
}

const nameOf = (root: JsonObject): string =>
  root === configSchema ? 'Config' : (Object.keys(configSchema.definitions as JsonObject).find((name) => definition(name) === root) ?? '')

const walk = (node: Json | undefined, value: Json, path: string): void => {
  if (!isObject(node) || typeof value !== 'object' || value === null) return
  if (typeof node.$ref === 'string') {
    const name = node.$ref.slice('#/definitions/'.length)
    walk(definition(name), value, name)
    return
  }
  for (const word of ['oneOf', 'allOf', 'anyOf']) for (const branch of [node[word] ?? []].flat() as Json[]) walk(branch, value, path)
  if (Array.isArray(value)) for (const item of value) walk(node.items, item, `${path}.*`)
  else for (const [key, member] of Object.entries(value)) walkMember(node, value, path, key, member)
}

const walkMember = (node: JsonObject, map: JsonObject, path: string, key: string, member: Json): void => {
  const named = isObject(node.properties) ? own(node.properties, key) : undefined
  if (named !== undefined && `${path}.${key}` === process.env.HEADGATE_DEAF_TO) delete map[key]
  else if (named !== undefined) walk(named, member, `${path}.${key}`)
  else {
    const [patterned] = Object.values((node.patternProperties ?? {}) as JsonObject).filter(
      (each) => isObject(each) && Object.keys(each).length > 0,
    )
    walk(isObject(node.additionalProperties) ? node.additionalProperties : patterned, member, `${path}.*`)
  }
}
