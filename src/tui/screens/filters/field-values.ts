/** Finds the values of a condition's field in the payload, in `events`, and in the samples that the route's conditions were tried on. */

import type { Json } from '../../../core/json.ts'
import { stars } from '../../../core/secret-names.ts'
import type { ConditionRow } from '../../../edit/conditions.ts'
import { parseShownValue } from '../../../edit/operators.ts'
import { isRequestField } from '../../../expr/request-field.ts'
import type { World } from '../../model/screen.ts'

/** A value, the same value as JSON, and in words where the value was seen. */
export type FieldValue = { readonly value: Json; readonly json: string; readonly where: string }

/** Returns the usual name of a field: `payload.action` means `action`, `event_type` means `event`, and header names have no case. */
const plainField = (field: string): string => {
  if (field === 'event_type') return 'event'
  return field.startsWith('headers.') ? field.toLowerCase() : field.replace(/^payload\./, '')
}

const inPayload = (field: string, { payload }: World) =>
  payload?.values.find(({ path }) => path === field) ?? payload?.values.find(({ path }) => plainField(path) === plainField(field))

/**
 * Returns the type of a field's values, as JSON Schema names types: that of the value in the payload, or else the one type of all values in
 * the samples; `undefined` if no value is known, or the types in the samples differ.
 */
export const typeOfField = (field: string, rows: readonly ConditionRow[], world: World): string | undefined => {
  if (plainField(field) === 'event' || field.startsWith('headers.') || isRequestField(field)) return 'string'
  const found = inPayload(field, world)?.type
  if (found !== undefined) return found
  const types = new Set(inSamples(field, rows, world).flatMap((json) => parseShownValue(json)?.type ?? []))
  return types.size === 1 ? [...types][0] : undefined
}

/**
 * Returns each known value of a field once, the value of the payload first. A value that is cut or hidden is left out, because the whole
 * value is unknown. `rows`: the conditions of the route, whose tallies have the values in the samples.
 */
export const fieldValues = (field: string, rows: readonly ConditionRow[], world: World): readonly FieldValue[] => {
  const found = inPayload(field, world)
  const events = plainField(field) === 'event' ? [world.draft?.spec.events ?? []].flat() : []
  const candidates = [
    ...(found ? [{ json: found.shown, where: 'in this payload' }] : []),
    ...events.map((event) => ({ json: JSON.stringify(event), where: 'in events' })),
    ...inSamples(field, rows, world).map((json) => ({ json, where: 'in the samples' })),
  ]
  const values = candidates.flatMap(({ json, where }): FieldValue[] => {
    const read = parseShownValue(json)
    return read && read.value !== stars ? [{ value: read.value, json, where }] : []
  })
  return values.filter(({ json }, i) => values.findIndex((each) => each.json === json) === i)
}

const inSamples = (field: string, rows: readonly ConditionRow[], { preview }: World): readonly string[] =>
  rows
    .filter((row) => row.field !== undefined && plainField(row.field) === plainField(field))
    .flatMap(({ name }) => preview?.tallies[name]?.seen ?? [])
