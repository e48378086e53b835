/**
 * Replaces fields that a route redacts (`redact`): in the event as gates and the ending get it, and in the request as records keep it. The
 * signature, the type of the event and its delivery id are taken from the request as it came.
 */

import { queryOf } from '../../core/address/path-and-query.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import type { Redaction } from '../../core/plan.ts'
import type { Event, KeptFile } from '../../core/request.ts'
import type { KeyPath } from '../../core/walk-json.ts'
import { partsOf } from '../../expr/path-parts.ts'
import { isRequestField, queryParameter } from '../../expr/request-field.ts'
import { maskJsonBytes } from '../../secrets/mask-bytes.ts'
import { maskNamedHeaders, maskParameters, maskPlaces, type SecretPlaces } from '../mask-request.ts'
import { ReadOnceBody } from './request-body.ts'

const mask = { shown: '[redacted]', wholes: true }

/**
 * Compiles the redaction of these fields, named as in filters: `payload.user.email`, `items.*.email` for each item of a list,
 * `headers.X-User`, `request.query.user`. `undefined` where there are none. `judged`: called for each event, with the fields that it does
 * not have. `isInQuery`: the payload may be made of the parameters of the address, so a field is hidden in both. `isOwnKind`: the body is
 * read as its route says and not as its bytes show, so its fields are not found in the bytes, and the stored request has no body.
 */
export const compileRedaction = (
  fields: readonly string[],
  judged?: (event: Event, fields: readonly string[]) => void,
  { isInQuery = false, isOwnKind = false }: { readonly isInQuery?: boolean; readonly isOwnKind?: boolean } = {},
): Redaction | undefined => {
  if (fields.length === 0) return undefined
  const query = fields.flatMap((field) => queryParameter(field) ?? [])
  const inPayload = fields.flatMap((field) => (field.startsWith('headers.') || isRequestField(field) ? [] : pathsOf(field)))
  const places: SecretPlaces = {
    headers: fields.flatMap((field) => (field.startsWith('headers.') ? field.slice('headers.'.length).toLowerCase() : [])),
    query: isInQuery ? [...query, ...inPayload.flatMap((path) => path.find((step) => step !== '*') ?? [])] : query,
    fields: isInQuery ? [...inPayload, ...query.map((name) => [name])] : inPayload,
  }
  return {
    event(event) {
      judged?.(
        event,
        fields.filter((field) => !isIn(event, field)),
      )
      const text = maskJsonBytes(Buffer.from(event.text), places.fields, mask).toString()
      const redacted = {
        ...event,
        pathAndQuery: maskParameters(event.pathAndQuery, places.query, mask),
        headers: maskNamedHeaders(event.headers, places.headers, mask),
      }
      if (text === event.text) return redacted
      const payload = JSON.parse(text) as Json
      return { ...redacted, text, payload, ...(event.files ? { files: redactFiles(event.files, event.payload, payload) } : {}) }
    },
    request({ read, ...request }) {
      const { pathAndQuery, headers, body } = request
      // What cannot be read cannot be redacted, so no part of the request is kept.
      const isUnread = isOwnKind || (read ?? new ReadOnceBody(headers, body)).content().kind === 'unread'
      const kept = maskPlaces({ pathAndQuery, headers, body: isUnread ? Buffer.alloc(0) : body }, places, mask)
      return { ...request, ...kept }
    },
  }
}

/** Whether an event has a field: a value that is not hidden anyway, such as `null`, or an empty list whose items could have it, too. */
const isIn = ({ headers, pathAndQuery, payload }: Event, field: string): boolean => {
  if (field.startsWith('headers.')) return Object.hasOwn(headers, field.slice('headers.'.length).toLowerCase())
  const parameter = queryParameter(field)
  if (parameter !== undefined) return queryOf(pathAndQuery).has(parameter)
  return pathsOf(field).some((path) => leadsIn(payload, path))
}

const leadsIn = (value: Json | undefined, path: KeyPath): boolean => {
  const [step, ...rest] = path
  if (step === undefined || value === undefined) return value !== undefined
  if (!Array.isArray(value)) return (isObject(value) && leadsIn(own(value, step), rest)) || (step === '*' && leadsIn(value, rest))
  return step === '*' ? value.length === 0 || value.some((item) => leadsIn(item, rest)) : leadsIn(value[Number(step)], rest)
}

/** As in filters, `payload.` leads into the payload's own key `payload` where it has one. Both places are redacted. */
const pathsOf = (field: string): KeyPath[] => {
  const path = partsOf(field)
  return path[0] === 'payload' && path.length > 1 ? [path, path.slice(1)] : [path]
}

/**
 * Hides from the agent, too, what is hidden in the list of files: a file whose entry is hidden is left out, a hidden name or type is a
 * general one. `before` and `after`: the payload without and with the redaction. A payload that is no map has no list, and hides nothing.
 */
const redactFiles = (files: readonly KeptFile[], before: Json, after: Json): readonly KeptFile[] => {
  const [all, shown] = [entriesOf(before), entriesOf(after)]
  if (all.length === 0) return files
  const kept = all.flatMap((entry, i) => (entry && own(entry, 'dropped') === undefined ? [shown[i]] : []))
  return files.flatMap((file, i) => {
    const entry = kept[i]
    if (!entry) return []
    const isShown = (key: 'name' | 'type'): boolean => own(entry, key) === file[key]
    return [{ ...file, name: isShown('name') ? file.name : 'file', type: isShown('type') ? file.type : 'application/octet-stream' }]
  })
}

const entriesOf = (payload: Json): readonly (JsonObject | undefined)[] => {
  const list = isObject(payload) ? own(payload, 'attachments') : undefined
  return Array.isArray(list) ? list.map((entry) => (isObject(entry) ? entry : undefined)) : []
}
