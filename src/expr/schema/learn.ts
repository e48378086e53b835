/** Makes a payload schema of payloads: the kinds of their values, and the keys that all maps at a place have. No value goes into it. */

import { isObject, type Json, type JsonObject } from '../../core/json.ts'

/** Bounds of what is learned: the schemas in all, the keys of a map, the items of a list that are read, the maps and lists around. */
const maxSchemas = 2_500
const maxKeys = 200
const maxItems = 100
const maxDepth = 50

/** What the values at one place have in common. */
type Place = {
  readonly kinds: Set<string>
  /** The values at this place, and the maps among them. */
  count: number
  maps: number
  readonly keys: Map<string, Place>
  items: Place | undefined
  /** A key was left out because of a bound, so nothing is said about further keys. */
  isOpen: boolean
}

/**
 * How much is said of payloads that the schema was not learned from. `open`: further keys fit, and a key is required where every map has
 * it. `closed`: besides, a key that no payload has at its place does not fit. `kinds`: only the kinds of values are said; no key is
 * required, and each value may be `null`.
 */
export type LearnedForm = 'open' | 'closed' | 'kinds'

/** Learns a schema from payloads. A value that is always `null` gets no type. */
export const learnSchema = (payloads: Iterable<Json>, form: LearnedForm): JsonObject => {
  let schemas = 0
  const createPlace = (): Place | undefined =>
    ++schemas > maxSchemas ? undefined : { kinds: new Set(), count: 0, maps: 0, keys: new Map(), items: undefined, isOpen: false }
  const add = (value: Json, place: Place, depth: number): void => {
    place.count++
    place.kinds.add(kindOf(value))
    if (Array.isArray(value) && depth < maxDepth) {
      place.items ??= value.length > 0 ? createPlace() : undefined
      if (place.items) for (const item of value.slice(0, maxItems)) add(item, place.items, depth + 1)
    }
    if (isObject(value)) addMap(value, place, depth)
  }
  const addMap = (map: JsonObject, place: Place, depth: number): void => {
    place.maps++
    for (const key of Object.keys(map)) {
      const known = place.keys.get(key)
      const at = known ?? (place.keys.size < maxKeys && depth < maxDepth ? createPlace() : undefined)
      if (!at) {
        place.isOpen = true
        continue
      }
      if (!known) place.keys.set(key, at)
      add(map[key] as Json, at, depth + 1)
    }
  }
  const root = createPlace() as Place
  for (const payload of payloads) add(payload, root, 0)
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...render(root, form) }
}

const kindOf = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

const render = (place: Place, form: LearnedForm): JsonObject => {
  const { kinds, keys, items, maps, isOpen } = place
  if ([...kinds].every((kind) => kind === 'null')) return {}
  const required = [...keys].filter(([, { count }]) => count === maps).map(([key]) => key)
  const ofMaps = {
    ...(required.length > 0 && form !== 'kinds' ? { required } : {}),
    properties: Object.fromEntries([...keys].map(([key, at]) => [key, render(at, form)])),
    ...(form === 'closed' && !isOpen ? { additionalProperties: false } : {}),
  }
  const types = typesOf(kinds, form)
  return {
    type: types.length === 1 ? (types[0] as string) : types,
    ...(items ? { items: render(items, form) } : {}),
    ...(maps > 0 ? ofMaps : {}),
  }
}

const typesOf = (kinds: ReadonlySet<string>, form: LearnedForm): string[] => {
  const types = form === 'kinds' ? [...kinds].map((kind) => (kind === 'integer' ? 'number' : kind)).concat('null') : [...kinds]
  // `number` covers integers.
  return [...new Set(types)].filter((kind) => kind !== 'integer' || !kinds.has('number')).sort()
}
