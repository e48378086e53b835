/** Parses the verified body once, and makes the event: its payload, its type and its delivery id. */

import { isUtf8 } from 'node:buffer'
import { createHash, randomUUID } from 'node:crypto'
import { isObject, type Json, own } from '../../core/json.ts'
import { header } from '../../core/names.ts'
import { refuse } from '../../core/outcome.ts'
import type { Parse } from '../../core/plan.ts'
import type { Event, Headers, VerifiedRequest } from '../../core/request.ts'
import type { Scheme } from '../schemes/scheme.ts'
import { tooManyContainers } from './kit/count-containers.ts'
import { decodeJson } from './kit/decode-json.ts'
import type { StageKit, StagePart } from './stage.ts'

export const json: StagePart = {
  name: 'json',
  compile: (_route, kit) => ({ parse: parserOf(kit) }),
}

export const parserOf = ({ name, profile, schemes }: Pick<StageKit, 'name' | 'profile' | 'schemes'>): Parse => {
  const known = headersOf(schemes)
  return (request) => {
    const read = isForm(request.headers) ? readForm(request.body) : readJson(request.body)
    if (read === 'not JSON') return refuse('bad_json')
    if (read === 'too many') return refuse('too_large', { detail: 'more than 100,000 lists and maps' })
    return {
      eventId: request.eventId,
      route: name,
      profile,
      headers: request.headers,
      text: read.text,
      payload: read.payload,
      eventType: eventTypeOf(request.headers, read.payload, known),
      eventAlias: shortForm(request.headers, read.payload, known),
      deliveryId: deliveryIdOf(request, known),
      at: request.at,
    } satisfies Event
  }
}

type Read = { readonly text: string; readonly payload: Json }

type Unread = 'not JSON' | 'too many'

const parse = (text: string): Read | Unread => {
  if (tooManyContainers(text)) return 'too many'
  try {
    return { text, payload: JSON.parse(text) as Json }
  } catch {
    return 'not JSON'
  }
}

const readJson = (body: Buffer): Read | Unread => {
  const text = decodeJson(body)
  return text === undefined ? 'not JSON' : parse(text)
}

const isForm = (headers: Headers): boolean => /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')

/** Parses a form. Its `payload` field, when there is one, is parsed as JSON; otherwise all fields are the payload (rules: Bodies 3). */
const readForm = (body: Buffer): Read | Unread => {
  if (!isUtf8(body)) return 'not JSON'
  const fields = new URLSearchParams(body.toString('utf8'))
  const payload = fields.get('payload')
  if (payload !== null) return parse(payload)
  const entries = Object.fromEntries(fields)
  return { text: JSON.stringify(entries), payload: entries }
}

const maxEventType = 128
const eventTypeForm = /^[^\p{Cc}]+$/u

const usable = (type: Json | undefined): string | undefined =>
  typeof type === 'string' && type.length <= maxEventType && eventTypeForm.test(type) ? type : undefined

/** The headers of all schemes that hold the event's type or the delivery id. */
type KnownHeaders = {
  readonly eventType: readonly string[]
  readonly id: readonly string[]
  readonly shortType: readonly { readonly headers: readonly string[]; readonly field: string }[]
}

const worked = new WeakMap<readonly Scheme[], KnownHeaders>()

/**
 * Collects the headers once for all routes. Id headers that some scheme signs come last, because they are read here only when the request
 * did not sign them.
 */
const headersOf = (schemes: readonly Scheme[]): KnownHeaders => {
  const known = worked.get(schemes) ?? {
    eventType: schemes.flatMap(({ eventTypeHeaders = [] }) => eventTypeHeaders),
    id: [...schemes.filter(({ signedId }) => !signedId), ...schemes.filter(({ signedId }) => signedId)]
      .flatMap(({ idHeaders = [] }) => idHeaders)
      .concat('x-request-id'),
    shortType: schemes.flatMap(({ shortTypeField, eventTypeHeaders = [] }) =>
      shortTypeField === undefined ? [] : { headers: eventTypeHeaders, field: shortTypeField },
    ),
  }
  worked.set(schemes, known)
  return known
}

/** The event's type comes from a scheme's header, else the payload's `event_type` or `type`, else it is `unknown` (rules: Events 1). */
const eventTypeOf = (headers: Headers, payload: Json, { eventType }: KnownHeaders): string => {
  const named = usable(header(headers, ...eventType))
  if (named !== undefined) return named
  return (isObject(payload) ? (usable(own(payload, 'event_type')) ?? usable(own(payload, 'type'))) : undefined) ?? 'unknown'
}

/** The short form of the event's type: code host B sends "Merge Request Hook" in the header, and `merge_request` in the payload. */
const shortForm = (headers: Headers, payload: Json, { shortType }: KnownHeaders): string | undefined => {
  const named = shortType.find((each) => each.headers.some((name) => headers[name] !== undefined))
  return named && isObject(payload) ? usable(own(payload, named.field)) : undefined
}

const longId = 200

/**
 * A captured request must not look new because of a changed header. So where the scheme signs the delivery id, only the signed id counts.
 * Otherwise the id comes from a scheme's header or X-Request-ID, or it is random (rules: Events 3). A long id is replaced by its hash.
 */
const deliveryIdOf = ({ headers, verification }: VerifiedRequest, { id: idHeaders }: KnownHeaders): string => {
  const id = verification.signedId || header(headers, ...idHeaders) || randomUUID()
  return id.length <= longId ? id : `sha256:${createHash('sha256').update(id, 'latin1').digest('hex')}`
}
