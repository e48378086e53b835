/**
 * Reads what an event's request says beside its headers and its body: its method, its path and its query. Only these exact names are
 * fields: Stripe's payloads have a key `request` of their own.
 */

import { mapOfNamed, pathOf, queryOf } from '../core/address/path-and-query.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Event } from '../core/request.ts'

const methodOf = ({ method = 'POST' }: Event): string => method
const queryPrefix = 'request.query.'

/** Returns the parameter of the query that a field names (`request.query.<name>`); `undefined` for any other field. */
export const queryParameter = (field: string): string | undefined =>
  field.startsWith(queryPrefix) && field.length > queryPrefix.length ? field.slice(queryPrefix.length) : undefined

/** Whether a field of a condition is the method, the path or a parameter of the query of the request. */
export const isRequestField = (field: string): boolean =>
  field === 'request.method' || field === 'request.path' || queryParameter(field) !== undefined

/**
 * Compiles a field of the request; `undefined` for any other field. A parameter of the query has its decoded value. A repeated parameter
 * has the list of its values.
 */
export const compileRequestField = (field: string): ((event: Event) => Json | undefined) | undefined => {
  if (field === 'request.method') return methodOf
  if (field === 'request.path') return ({ pathAndQuery }) => pathOf(pathAndQuery)
  const name = queryParameter(field)
  if (name === undefined) return undefined
  return ({ pathAndQuery }) => {
    if (!pathAndQuery.includes('?')) return undefined
    const values = queryOf(pathAndQuery).getAll(name)
    return values.length > 1 ? values : values[0]
  }
}

/** Returns the request of an event for expressions. */
export const requestInput = (event: Event): JsonObject => ({
  method: methodOf(event),
  path: pathOf(event.pathAndQuery),
  query: mapOfNamed(queryOf(event.pathAndQuery)),
})
