/**
 * Lists every place of the schema at which a secret may stand, with a value that a test can recognise (a canary). A new key of the schema
 * is a new place.
 */

import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { namesSettingSecret } from '../../src/core/secret-names.ts'
import { schema as whole } from '../../src/generated/schema.ts'

export type Place = { readonly path: readonly (string | number)[]; readonly value: Json }

const definitions = whole.definitions as JsonObject

/** Makes a secret that does not look like a secret: only its place says what it is. */
export const canary = (name: string): string => `${name.replaceAll(/\W+/g, 'Q')}Q7f3k9`
export const marks = /\w+Q7f3k9/g

const resolved = (node: JsonObject): JsonObject => {
  if (typeof node.$ref !== 'string') return node
  const { $ref, ...own } = node
  return { ...resolved(definitions[$ref.slice('#/definitions/'.length)] as JsonObject), ...own }
}

/** Whether a key holds an address, by its name. An address may have a login, and a path or parameters that give access. */
const isAddress = (key: string): boolean => /(?:^|_)(?:url|endpoint)$/.test(key)

/** The key of a member of a map, where people choose the keys. */
const anyKey = 'X_ANY'

/**
 * Returns the places below a node. `base`: the path of the node. The value of a place is that of the node: with the canary, and with an
 * example for whatever a map must have besides.
 */
export const secretPlaces = (root: JsonObject, base: Place['path'] = [], seen: readonly JsonObject[] = []): Place[] => {
  // A definition that leads back to itself, as a group of conditions does, has the places of its first level.
  if (seen.some((each) => each === root || (each.$ref !== undefined && each.$ref === root.$ref))) return []
  const node = resolved(root)
  const key = String(base.findLast((each) => typeof each === 'string') ?? '')
  if (node.type === 'string') return leaf(node, key, base)
  const properties = (isObject(node.properties) ? node.properties : {}) as { readonly [key: string]: JsonObject }
  const within = (inner: Json | undefined, step: string | number, wrap: (value: Json) => Json): Place[] =>
    isObject(inner) ? secretPlaces(inner, [...base, step], [...seen, root]).map(({ path, value }) => ({ path, value: wrap(value) })) : []
  const member = (inner: Json | undefined, step: string): Place[] => {
    const needed = ((node.required ?? []) as string[]).filter((each) => each !== step)
    const others = Object.fromEntries(needed.map((each) => [each, exampleOf(properties[each] as JsonObject)]))
    return within(inner, step, (value) => ({ ...others, [step]: value }))
  }
  const branches = [node.oneOf, node.anyOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return [
    ...Object.entries(properties).flatMap(([each, inner]) => member(inner, each)),
    ...member(node.additionalProperties, anyKey),
    ...within(node.items, 0, (value) => [value]),
    ...branches.flatMap((branch) => (isObject(branch) ? secretPlaces(branch, base, [...seen, root]) : [])),
  ]
}

const leaf = (node: JsonObject, key: string, path: Place['path']): Place[] => {
  const name = canary(path.join('-'))
  if (Array.isArray(node.enum) || (node['x-secret'] === 'public' && node['x-address'] !== true)) return []
  if (node['x-address'] === true || isAddress(key))
    return [{ path, value: `https://user:${name}@127.0.0.1:9/hooks/${key === 'public_url' ? 'x' : name}?access_token=${name}&plain=1` }]
  return node['x-secret'] === true || namesSettingSecret(key) ? [{ path, value: name }] : []
}

const exampleOf = (root: JsonObject): Json => {
  const node = resolved(root)
  const [example] = (node.examples ?? node.enum ?? []) as Json[]
  return example ?? (node.default as Json) ?? (node.type === 'array' ? [exampleOf(node.items as JsonObject)] : 'x')
}
