/** Compiles the templates in a map or list of settings. */

import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { hasVariable } from '../secrets/variables.ts'
import { compileAddress, compileExact, compileTemplate, type Renderer, type TemplateKit, thenAll } from './template.ts'

/** How the texts of a key are filled in: as a web address, as an id or name of a platform, or as a text for people. */
export type TextUse = 'address' | 'exact' | 'text'

const compilers = { address: compileAddress, exact: compileExact, text: compileTemplate } as const

const compileValue = (value: Json, use: TextUse, kit: TemplateKit): Renderer<Json> => {
  // A reference to a secret in an address is filled in when the text is sent, and no payload fills in anything beside it.
  if (use === 'address' && typeof value === 'string' && hasVariable(value)) return () => value
  if (typeof value === 'string') return compilers[use](value, kit)
  // A text deeper inside a web address's value is a part, such as an id, and no web address.
  const below = use === 'address' ? 'exact' : use
  if (Array.isArray(value)) {
    const items = value.map((item) => compileValue(item, below, kit))
    return (event) =>
      thenAll<Json, Json>(
        items.map((item) => item(event)),
        (settled) => settled,
      )
  }
  return isObject(value) ? compileTexts(value, kit, () => below) : () => value
}

/**
 * Compiles a map whose texts, at any depth, are templates; other values stay as they are (rules: Templates 8). `useOf` says how the text at
 * a key of the map is filled in.
 */
export const compileTexts = (map: JsonObject, kit: TemplateKit, useOf: (key: string) => TextUse): Renderer<JsonObject> => {
  const keys = Object.keys(map)
  const values = keys.map((key) => compileValue(map[key] as Json, useOf(key), kit))
  const join = (settled: Json[]): JsonObject => Object.fromEntries(keys.map((key, i) => [key, settled[i] as Json]))
  return (event) =>
    thenAll(
      values.map((value) => value(event)),
      join,
    )
}
