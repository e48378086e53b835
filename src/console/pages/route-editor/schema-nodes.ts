/** Follows a path through the schema of routes. */

import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { item, type YamlPath } from './yaml-place.ts'

/** The definitions of the schema by their names. */
export type RouteSchema = { readonly [name: string]: JsonObject }

/** Returns the nodes of the schema for a path in a route. Each branch of a union is a node of its own. */
export const schemaNodes = (schema: RouteSchema, path: YamlPath): readonly JsonObject[] =>
  path.reduce<readonly JsonObject[]>(
    (nodes, key) => nodes.flatMap((node) => memberOf(node, key)).flatMap((node) => branches(schema, node)),
    branches(schema, own(schema, 'Route')),
  )

const memberOf = (node: JsonObject, key: YamlPath[number]): readonly Json[] => {
  if (key === item) return isObject(node.items) ? [node.items] : []
  const named = isObject(node.properties) ? own(node.properties, key) : undefined
  if (named !== undefined) return [named]
  return isObject(node.additionalProperties) ? [node.additionalProperties] : []
}

const maxReferences = 8

/** Returns a node with the nodes that it refers to, and its branches. */
const branches = (schema: RouteSchema, node: Json | undefined, depth = 0): readonly JsonObject[] => {
  if (!isObject(node) || depth > maxReferences) return []
  const named = typeof node.$ref === 'string' ? branches(schema, own(schema, node.$ref.slice('#/definitions/'.length)), depth + 1) : []
  const either = Array.isArray(node.oneOf) ? node.oneOf.flatMap((branch) => branches(schema, branch, depth + 1)) : []
  return [node, ...named, ...either]
}

/**
 * Returns the description of the value at a path: the description of the first node that has a description; empty where no node has any.
 */
export const descriptionAt = (schema: RouteSchema, path: YamlPath): string => {
  const described = schemaNodes(schema, path).find(({ description }) => typeof description === 'string')
  return described ? String(described.description) : ''
}
