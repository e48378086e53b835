/** JSON with one value changed. */

import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'

/** The value with another one at a path, which is made where it is not there. */
export const setAt = (at: Json | undefined, [key, ...rest]: readonly string[], value: Json): Json => {
  if (key === undefined) return value
  if (Array.isArray(at)) return at.map((item, i) => (key === '*' || String(i) === key ? setAt(item, rest, value) : item))
  const members: JsonObject = isObject(at) ? at : {}
  return { ...members, [key]: setAt(Object.hasOwn(members, key) ? members[key] : undefined, rest, value) }
}

/** The paths of all texts in a value. */
export const textPaths = (value: Json, path: readonly string[] = []): readonly (readonly string[])[] => {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textPaths(item, [...path, key]))
}
