/** Fills the defaults of the schema into a configuration. */

import { configSchema, definition, memberSchema, schemaOfValue } from '../../config/schema-walk.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { keepDigits } from '../../core/written-digits.ts'

/**
 * Returns a `config.yaml` with the default of each key that is absent, in the maps that are there and in the sections that are not. A map
 * inside a section stays absent where it is, because its presence may mean something. `webhook`: the settings of the adapter.
 */
export const withDefaults = (sections: JsonObject, webhook: JsonObject): JsonObject => {
  const absent = Object.entries(configSchema.properties as { readonly [section: string]: JsonObject }).flatMap(([name, node]) => {
    if (Object.hasOwn(sections, name) || Array.isArray(schemaOfValue(node, {}).required)) return []
    const section = filled(node, {})
    return Object.keys(section).length > 0 ? [[name, section] as const] : []
  })
  const { webhook: _, ...others } = isObject(sections.platforms) ? sections.platforms : {}
  const whole = filled(configSchema, { ...sections, platforms: others, ...Object.fromEntries(absent) }) as JsonObject
  const { enabled, ...settings } = webhook
  const adapter = { enabled: enabled ?? false, extra: filled(definition('WebhookSettings'), settings) }
  return { ...whole, platforms: { webhook: adapter, ...(whole.platforms as JsonObject) } }
}

/** Returns a value with the defaults of all maps in it. `node`: the schema of the value. */
const filled = (node: JsonObject, value: Json): Json & object => {
  const schema = schemaOfValue(node, value)
  const below = (key: string | number, item: Json): Json => {
    const next = memberSchema(schema, key)
    return next && typeof item === 'object' && item !== null ? filled(next, item) : item
  }
  if (Array.isArray(value))
    return keepDigits(
      value,
      value.map((item, i) => below(i, item)),
    )
  const map = isObject(value) ? value : {}
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const defaults = properties.flatMap(([key, property]) =>
    !Object.hasOwn(map, key) && isObject(property) && property.default !== undefined ? [[key, property.default] as const] : [],
  )
  return keepDigits(map, Object.fromEntries([...Object.entries(map).map(([key, item]) => [key, below(key, item)] as const), ...defaults]))
}
