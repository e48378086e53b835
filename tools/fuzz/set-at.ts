/** Changes one value in JSON, and lists the paths of texts. */

import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'

/** Returns `at` with `value` at a path, where `*` stands for each item of a list. Maps that are missing on the path are made. */
export const setAt = (at: Json | undefined, [key, ...rest]: readonly string[], value: Json): Json => {
  if (key === undefined) return value
  if (Array.isArray(at)) return at.map((item, i) => (key === '*' || String(i) === key ? setAt(item, rest, value) : item))
  const members: JsonObject = isObject(at) ? at : {}
  return { ...members, [key]: setAt(Object.hasOwn(members, key) ? members[key] : undefined, rest, value) }
}

/** Returns the paths of all texts in a value. */
export const textPaths = (value: Json, path: readonly string[] = []): readonly (readonly string[])[] => {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textPaths(item, [...path, key]))
}
