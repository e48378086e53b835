/**
 * Replaces fields that a route redacts (`redact`): in the event as gates and the ending get it, and in the request as records keep it. The
 * signature, the type of the event and its delivery id are taken from the request as it came.
 */

import type { Json } from '../../core/json.ts'
import type { Redaction } from '../../core/plan.ts'
import { isRequestField, queryParameter } from '../../expr/request-field.ts'
import { maskHeaders, maskParameters, maskPlaces, type SecretPlaces } from '../mask-request.ts'
import { maskJson } from './mask-json.ts'
import { ReadOnceBody } from './request-body.ts'
import type { Path } from './walk-json.ts'

const mask = { shown: '[redacted]', wholes: true }

/**
 * Compiles the redaction of these fields, named as in filters: `payload.user.email`, `items.*.email` for each item of a list,
 * `headers.X-User`, `request.query.user`. `undefined` where there are none.
 */
export const compileRedaction = (fields: readonly string[]): Redaction | undefined => {
  if (fields.length === 0) return undefined
  const places: SecretPlaces = {
    headers: fields.flatMap((field) => (field.startsWith('headers.') ? field.slice('headers.'.length).toLowerCase() : [])),
    query: fields.flatMap((field) => queryParameter(field) ?? []),
    fields: fields.flatMap((field) => (field.startsWith('headers.') || isRequestField(field) ? [] : pathsOf(field))),
  }
  return {
    event(event) {
      const text = maskJson(Buffer.from(event.text), places.fields, mask).toString()
      const redacted = {
        ...event,
        pathAndQuery: maskParameters(event.pathAndQuery, places.query, mask),
        headers: maskHeaders(event.headers, places.headers, mask),
      }
      return text === event.text ? redacted : { ...redacted, text, payload: JSON.parse(text) as Json }
    },
    request({ read, ...request }) {
      const { pathAndQuery, headers, body } = request
      // What cannot be read cannot be redacted, so nothing of it is kept.
      const isUnread = (read ?? new ReadOnceBody(headers, body)).content().kind === 'unread'
      const kept = maskPlaces({ pathAndQuery, headers, body: isUnread ? Buffer.alloc(0) : body }, places, mask)
      return { ...request, ...kept }
    },
  }
}

/** As in filters, `payload.` leads into the payload's own key `payload` where it has one. Both places are redacted. */
const pathsOf = (field: string): Path[] => {
  const path = field.split('.')
  return path[0] === 'payload' && path.length > 1 ? [path, path.slice(1)] : [path]
}
