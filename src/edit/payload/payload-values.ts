/** Lists the values in a payload, each with the path that filters and templates use for it. */

import { typeOf } from '../../config/schema-walk.ts'
import { mapOfNamed, pathOf, queryOf } from '../../core/address/path-and-query.ts'
import { ExactNumber } from '../../core/exact-number.ts'
import { type ExactJson, isObject, type Json } from '../../core/json.ts'
import { cut } from '../../core/text.ts'
import { changedFiles, changedFilesField } from '../../expr/changed-files.ts'
import { pathBelow } from '../../expr/path-parts.ts'
import { renderJson } from '../../expr/render.ts'
import type { RequestContent } from '../../operate/events/event-reader.ts'
import type { Payload, PayloadValue } from '../service.ts'

const maxValues = 5_000
const maxDepth = 32
const maxShownChars = 80

/** A value inside the payload. `depth`: the number of lists and maps around it. */
type InnerValue = { readonly path: string; readonly value: ExactJson; readonly depth: number }

/**
 * Returns the event's type, the fields of the request (its method, and its address without host), the headers, the files that a push changes,
 * and the values in the payload, the outer values first. Left out are the deepest where there are more than 5,000 values, values inside more than 32 lists and
 * maps, and values that no path can name.
 */
export const payloadValues = (
  payload: ExactJson | undefined,
  eventType: string | undefined,
  headers: Payload['headers'],
  { method, pathAndQuery }: Pick<RequestContent, 'method' | 'pathAndQuery'> = {},
): readonly PayloadValue[] => {
  const files = changedFiles(payload)
  const around: readonly (readonly [string, Json])[] = [
    ...(eventType === undefined ? [] : [['event', eventType] as const]),
    ...(pathAndQuery === undefined ? [] : requestValues(pathAndQuery, method)),
    ...Object.entries(headers).map(([name, value]) => [`headers.${name}`, value] as const),
    ...(files ? [[changedFilesField, files] as const] : []),
  ]
  const values = around.slice(0, maxValues).map(([path, value]) => describeValue(path, value))
  let level: readonly InnerValue[] = payload === undefined ? [] : innerValues({ path: '', value: payload, depth: 0 }, maxValues)
  while (level.length > 0 && values.length < maxValues) {
    const room = maxValues - values.length
    const next: InnerValue[] = []
    for (const inside of level.slice(0, room)) {
      values.push(describeValue(inside.path, inside.value))
      if (next.length < room && inside.depth < maxDepth) next.push(...innerValues(inside, room))
    }
    level = next
  }
  return values
}

const requestValues = (pathAndQuery: string, method = 'POST'): readonly (readonly [path: string, value: Json])[] => [
  ['request.method', method],
  ['request.path', pathOf(pathAndQuery)],
  ...Object.entries(mapOfNamed(queryOf(pathAndQuery))).map(([name, value]) => [`request.query.${name}`, value] as const),
]

const innerValues = ({ path, value, depth }: InnerValue, limit: number): readonly InnerValue[] => {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return []
  // A path names a member of a list by its place, and a member of a map by its key. Nobody looks for an empty key.
  const keys = Array.isArray(value) ? placesOf(value, limit) : Object.keys(value).filter((key) => key !== '')
  return keys.slice(0, limit).map((key) => ({
    path: pathBelow(path, key),
    value: (value as { readonly [key: string]: ExactJson })[key] as ExactJson,
    depth: depth + 1,
  }))
}

const placesOf = ({ length }: readonly ExactJson[], limit: number): string[] =>
  Array.from({ length: Math.min(length, limit) }, (_, i) => `${i}`)

const describeValue = (path: string, value: ExactJson): PayloadValue => ({
  path,
  type: value instanceof ExactNumber ? 'number' : typeOf(value as Json),
  shown: shownOf(value),
})

const shownOf = (value: ExactJson): string => {
  if (Array.isArray(value)) return counted(value.length, 'item')
  if (isObject(value)) return counted(Object.keys(value).length, 'key')
  const text = renderJson(typeof value === 'string' ? cut(value, maxShownChars) : value, Number.POSITIVE_INFINITY, 0)
  return text.length <= maxShownChars ? text : `${cut(text, maxShownChars - 1)}…`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
