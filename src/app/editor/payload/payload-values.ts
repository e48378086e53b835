/** Lists the values in a payload by the paths that filters and templates use. */

import { typeOf } from '../../../config/schema-walk.ts'
import type { Json } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import type { Payload, PayloadValue } from '../service.ts'

const maxValues = 5_000
const maxDepth = 32
const maxShown = 80

type Inside = { readonly path: string; readonly value: Json; readonly depth: number }

/** Returns the event's type, the headers, and the payload's values from the outside in. Of too many values, the deepest are left out. */
export const payloadValues = (
  payload: Json | undefined,
  eventType: string | undefined,
  headers: Payload['headers'],
): readonly PayloadValue[] => {
  const around: readonly (readonly [string, Json])[] = [
    ...(eventType === undefined ? [] : [['event', eventType] as const]),
    ...Object.entries(headers).map(([name, value]) => [`headers.${name}`, value] as const),
  ]
  const values = around.slice(0, maxValues).map(([path, value]) => describeValue(path, value))
  let level: readonly Inside[] = payload === undefined ? [] : innerValues({ path: '', value: payload, depth: 0 }, maxValues)
  while (level.length > 0 && values.length < maxValues) {
    const room = maxValues - values.length
    const next: Inside[] = []
    for (const inside of level.slice(0, room)) {
      values.push(describeValue(inside.path, inside.value))
      if (next.length < room && inside.depth < maxDepth) next.push(...innerValues(inside, room))
    }
    level = next
  }
  return values
}

const innerValues = ({ path, value, depth }: Inside, limit: number): readonly Inside[] => {
  if (typeof value !== 'object' || value === null) return []
  // The members of a list have their places. A map gives only the keys that a path can contain.
  const keys = Array.isArray(value) ? placesOf(value, limit) : Object.keys(value).filter((key) => key !== '' && !key.includes('.'))
  return keys.slice(0, limit).map((key) => ({
    path: path === '' ? key : `${path}.${key}`,
    value: (value as { readonly [key: string]: Json })[key] as Json,
    depth: depth + 1,
  }))
}

const placesOf = ({ length }: readonly Json[], limit: number): string[] => Array.from({ length: Math.min(length, limit) }, (_, i) => `${i}`)

const describeValue = (path: string, value: Json): PayloadValue => ({ path, type: typeOf(value), shown: shownOf(value) })

const shownOf = (value: Json): string => {
  if (Array.isArray(value)) return counted(value.length, 'item')
  if (typeof value === 'object' && value !== null) return counted(Object.keys(value).length, 'key')
  const text = JSON.stringify(typeof value === 'string' ? cut(value, maxShown) : value)
  return text.length <= maxShown ? text : `${cut(text, maxShown - 1)}…`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
