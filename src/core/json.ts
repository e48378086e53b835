/** JSON values, read by own properties only. */

import { ExactNumber } from './exact-number.ts'

export type JsonObject = { [key: string]: Json }
export type Json = string | number | boolean | null | Json[] | JsonObject

/** JSON values whose numbers are exact: a number that a double does not represent exactly is an `ExactNumber` (`exactJson`). */
export type ExactObject = { [key: string]: ExactJson }
export type ExactJson = string | number | boolean | null | ExactNumber | ExactJson[] | ExactObject

/** Whether a value is a map (a JSON object): neither null, nor a list, nor a number. */
export function isObject(value: Json | undefined): value is JsonObject
export function isObject(value: ExactJson | undefined): value is ExactObject
export function isObject(value: unknown): value is JsonObject
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/**
 * Parses a text as a JSON object; `undefined` when it is not one. It never throws, because an error of `JSON.parse` quotes the text, which
 * may be secret.
 */
export const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const hasOwn = Object.prototype.hasOwnProperty

/**
 * Returns the own property `key` of a map, or `undefined`. Inherited properties such as `constructor` and `__proto__` count as missing.
 */
export const own = <T>(object: { readonly [key: string]: T }, key: string): T | undefined =>
  hasOwn.call(object, key) ? object[key] : undefined

/**
 * Returns the JSON text of a map with one more member at its end, where it takes the place of a member of its name. Numbers keep their
 * digits. `map`: the map of the text. `member`: JSON.
 */
export const textWithMember = (text: string, map: JsonObject, key: string, member: string): string =>
  `${text.slice(0, text.lastIndexOf('}'))}${Object.keys(map).length > 0 ? ',' : ''}${JSON.stringify(key)}:${member}}`

/** Sets a member of a map or a list, also one that is named `__proto__`. */
export const put = <T>(into: { [key: string]: T }, key: string, value: T): void => {
  if (key === '__proto__') Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true })
  else into[key] = value
}

/** Returns the value at a path of keys and list indexes; `undefined` where the path leads nowhere. */
export const valueAt = (data: Json, path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (value, key) => (Array.isArray(value) ? value[Number(key)] : isObject(value) ? own(value, String(key)) : undefined),
    data,
  )

/**
 * Whether two values are equal. The order of the keys of a map does not count, that of a list does. The recursion goes no deeper than the
 * shallower value.
 */
export const equalJson = (a: Json, b: Json): boolean => {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i] as Json))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => hasOwn.call(b, key) && equalJson(a[key] as Json, b[key] as Json))
}

export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

export const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)
