/** Lists the paths of all keys that the schema knows, each with the file that the key belongs to. */

import type { Path } from '../../src/core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'

/** A path in a file. `beside`: for each map or list on the path, the members that it must have besides the next key of the path. */
export type SchemaPlace = { readonly file: string; readonly path: Path; readonly beside: readonly JsonObject[] }

const definitions = schema.definitions as JsonObject

/** The kinds of files, each with the definition of its content. */
const roots: readonly (readonly [file: string, node: JsonObject])[] = [
  ['config.yaml', schema],
  ['webhook_subscriptions.json', { $ref: '#/definitions/Subscriptions' }],
  ['cron_jobs.json', { $ref: '#/definitions/CronJobs' }],
  ['a.webhook-test.yaml', { $ref: '#/definitions/RouteTests' }],
]

/** How often one definition may stand on a path. A condition, for example, may stand inside a condition. */
const maxNesting = 2

const branchWords = ['oneOf', 'anyOf', 'allOf', 'then', 'else'] as const

/** Returns the nodes that describe one value: references are followed, and all branches of a union count. */
const nodesOf = (node: Json | undefined, names: readonly string[]): readonly (readonly [JsonObject, readonly string[]])[] => {
  if (!isObject(node)) return []
  const name = typeof node.$ref === 'string' ? node.$ref.slice('#/definitions/'.length) : undefined
  const isDeep = name !== undefined && names.filter((each) => each === name).length >= maxNesting
  const named = name === undefined || isDeep ? [] : nodesOf(definitions[name], [...names, name])
  const branches = branchWords.flatMap((word) => [node[word] ?? []].flat() as Json[])
  return [[node, names], ...named, ...branches.flatMap((branch) => nodesOf(branch, names))]
}

/** Returns a name that the pattern of a map's keys accepts. Keys with the prefix `x-` are not checked, so they are left out. */
const nameFor = (pattern: string): string | undefined => ['a', 'a-b', 'http'].find((name) => new RegExp(pattern, 'u').test(name))

const membersOf = (node: JsonObject): readonly (readonly [string | number, Json])[] => [
  ...Object.entries((node.properties ?? {}) as JsonObject),
  ...Object.entries((node.patternProperties ?? {}) as JsonObject).flatMap(([pattern, of]) => {
    const name = nameFor(pattern)
    return name === undefined ? [] : [[name, of] as const]
  }),
  ...(isObject(node.additionalProperties) ? [['a', node.additionalProperties] as const] : []),
  ...(isObject(node.items) ? [[0, node.items] as const] : []),
]

/** Whether a path repeats another: the keys that may stand directly under `webhook` are listed under its `extra`. */
const isTwin = (path: Path): boolean => path[0] === 'platforms' && path[1] === 'webhook' && path.length > 2 && path[2] !== 'extra'

/** Returns a value that a key's schema accepts in most cases. */
const sampleOf = (node: Json | undefined): Json => {
  const nodes = nodesOf(node, []).map(([each]) => each)
  const told = nodes.flatMap(({ default: usual, examples, enum: allowed, const: only }) => [usual, examples, allowed, only].flat())
  const known = told.find((value) => value !== undefined && value !== null)
  if (known !== undefined) return known
  const types = nodes.flatMap(({ type }) => [type].flat())
  if (types.includes('string')) return 'x'
  if (types.includes('array')) return []
  return types.includes('object') ? {} : 1
}

const requiredIn = ({ required = [], properties = {} }: JsonObject): JsonObject =>
  Object.fromEntries((required as string[]).map((key) => [key, sampleOf((properties as JsonObject)[key])]))

type Walked = { readonly file: string; readonly names: readonly string[]; readonly found: Map<string, SchemaPlace> }

const walk = (node: Json, path: Path, beside: readonly JsonObject[], { file, names, found }: Walked): void => {
  if (isTwin(path)) return
  if (path.length > 0) found.set(JSON.stringify(path), { file, path, beside })
  const seen = new Set<string>()
  for (const [each, within] of nodesOf(node, names)) {
    for (const [key, member] of membersOf(each)) {
      const id = `${key} ${JSON.stringify(member)}`
      if (!seen.has(id)) walk(member, [...path, key], [...beside, requiredIn(each)], { file, names: within, found })
      seen.add(id)
    }
  }
}

/** Returns every place once, in the order of the schema. */
export const schemaPlaces = (): readonly SchemaPlace[] =>
  roots.flatMap(([file, node]) => {
    const found = new Map<string, SchemaPlace>()
    walk(node, [], [], { file, names: [], found })
    return [...found.values()]
  })
