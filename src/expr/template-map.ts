/** Compiles the templates in a map or list of settings. */

import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { compileAddress, compileTemplate, type Renderer, type TemplateKit, thenAll } from './template.ts'

const compileValue = (value: Json, kit: TemplateKit): Renderer<Json> => {
  if (typeof value === 'string') return compileTemplate(value, kit)
  if (Array.isArray(value)) {
    const items = value.map((item) => compileValue(item, kit))
    return (event) =>
      thenAll<Json, Json>(
        items.map((item) => item(event)),
        (settled) => settled,
      )
  }
  return isObject(value) ? compileTexts(value, kit) : () => value
}

/**
 * Compiles a map whose texts, at any depth, are templates; other values stay as they are (rules: Templates 8). `addresses`: keys of the map
 * whose texts are web addresses, in which the values of a payload are percent-encoded.
 */
export const compileTexts = (map: JsonObject, kit: TemplateKit, addresses: readonly string[] = []): Renderer<JsonObject> => {
  const keys = Object.keys(map)
  const values = keys.map((key) => {
    const value = map[key] as Json
    return typeof value === 'string' && addresses.includes(key) ? compileAddress(value, kit) : compileValue(value, kit)
  })
  const join = (settled: Json[]): JsonObject => Object.fromEntries(keys.map((key, i) => [key, settled[i] as Json]))
  return (event) =>
    thenAll(
      values.map((value) => value(event)),
      join,
    )
}
