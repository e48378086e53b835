/** Parses the verified body once, and makes the event: its payload, its type and its delivery id. */

import { hash, randomUUID } from 'node:crypto'
import { header } from '../../core/headers.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { refuse } from '../../core/outcome.ts'
import type { MaskRequest, Parse } from '../../core/plan.ts'
import type { Event, Headers, VerifiedRequest } from '../../core/request.ts'
import type { Route } from '../../generated/config.ts'
import { ReadOnceBody } from '../body/request-body.ts'
import { compileMask } from '../mask-request.ts'
import type { Scheme } from '../schemes/scheme.ts'
import { verifyNames } from '../verify-names.ts'
import type { StageKit, StagePart } from './stage.ts'

export const json: StagePart = {
  name: 'json',
  compile(route, kit) {
    const mask = maskOf(kit.schemes, verifyNames(route))
    return { parse: parserOf(kit, route), ...(mask ? { mask } : {}) }
  },
}

export const parserOf = (
  { name, profile, schemes }: Pick<StageKit, 'name' | 'profile' | 'schemes'>,
  route: Pick<Route, 'verify' | 'events'> = {},
): Parse => {
  const named = verifyNames(route)
  const typeBy = typeReader(route.events ?? [])
  // A preset's type and id come first: they are signed more often than a header that every sender may set.
  const own = schemes.filter((scheme) => scheme.reads && (!scheme.byName || named.includes(scheme.name)))
  const readsOf = readsBySender(own, schemes)
  // Where the type is part of the signed body, no header may set another type for a body without it.
  const typed = new Set(
    own.filter(({ reads, eventTypeHeaders = [] }) => reads?.eventType && eventTypeHeaders.length === 0).map(({ name }) => name),
  )
  const knownHeaders = knownHeadersOf(schemes)
  return (request) => {
    const { headers, verification } = request
    const body = request.read ?? new ReadOnceBody(headers, request.body)
    const content = body.content()
    if (content.kind === 'unread')
      return content.why === 'not JSON'
        ? refuse('bad_json')
        : refuse('too_large', { detail: 'more than 100,000 lists and maps, or 1,000 fields' })
    const { text, payload } = content
    const reads = readsOf(verification.scheme)
    const event: Event = {
      eventId: request.eventId,
      route: name,
      profile,
      headers,
      text,
      payload,
      eventType:
        usableType(firstOf(reads, (each) => typeBy(each, headers, payload))) ??
        eventTypeOf(typed.has(verification.scheme) ? {} : headers, payload, knownHeaders),
      eventAlias: shortForm(headers, payload, knownHeaders),
      deliveryId: deliveryIdOf(
        request,
        knownHeaders,
        firstOf(reads, (each) => each.deliveryId?.(headers, body)),
        () => firstOf(reads, (each) => each.repeatId?.(headers, body)),
      ),
      at: request.at,
    }
    request.read?.take()
    return event
  }
}

/**
 * Returns how the events of a verified sender are read. Rules of the route's other senders do not apply. The sender of a tried or replayed
 * request is unknown, and all rules of the route apply.
 */
const readsBySender = (own: readonly Scheme[], schemes: readonly Scheme[]): ((verifiedBy: string) => readonly Reads[]) => {
  const known = new Map<string, readonly Reads[]>()
  return (verifiedBy) => {
    const made = known.get(verifiedBy)
    if (made) return made
    const isKnown = schemes.some(({ name }) => name === verifiedBy)
    const reads = own.flatMap((scheme) => (scheme.reads && (scheme.name === verifiedBy || !isKnown) ? [scheme.reads] : []))
    known.set(verifiedBy, reads)
    return reads
  }
}

/** Compiles the mask of a route: once for all routes that name no scheme. */
const maskOf = (schemes: readonly Scheme[], named: readonly string[]): MaskRequest | undefined =>
  named.length === 0 ? knownHeadersOf(schemes).mask : compileMask(schemes.filter(({ name }) => named.includes(name)))

type Reads = NonNullable<Scheme['reads']>

/**
 * Compiles the type of a request. A request of several events is taken as a whole, and its type is the first that the route lists, because
 * a listed event may come after others. Where none is listed, or the route lists nothing, the type is that of the first event.
 */
const typeReader = (events: readonly string[]) => {
  const listed = new Set(events)
  return ({ eventType, several }: Reads, headers: Headers, payload: Json): string | undefined =>
    (several && listed.size > 0 ? several.typesIn(headers, payload).find((type) => listed.has(type)) : undefined) ??
    eventType?.(headers, payload)
}

const firstOf = (reads: readonly Reads[], read: (each: Reads) => string | undefined): string | undefined => {
  for (const each of reads) {
    const found = read(each)
    if (found !== undefined && found !== '') return found
  }
  return undefined
}

const maxEventType = 128
const eventTypeForm = /^[^\p{Cc}]+$/u

const usableType = (type: Json | undefined): string | undefined =>
  typeof type === 'string' && type.length <= maxEventType && eventTypeForm.test(type) ? type : undefined

/**
 * What all schemes together know of a request: the headers of the event's type and of the delivery id, and the mask of headers and of fields
 * of the body that hold a secret.
 */
type KnownHeaders = {
  readonly mask: MaskRequest | undefined
  readonly eventType: readonly string[]
  readonly id: readonly string[]
  readonly shortType: readonly { readonly headers: readonly string[]; readonly field: string }[]
}

const collectedHeaders = new WeakMap<readonly Scheme[], KnownHeaders>()

/**
 * Collects the headers once for all routes. Id headers that a scheme signs come last, because they are read here only when the request did
 * not sign them.
 */
const knownHeadersOf = (schemes: readonly Scheme[]): KnownHeaders => {
  const knownHeaders = collectedHeaders.get(schemes) ?? {
    mask: compileMask(schemes),
    eventType: schemes.flatMap(({ eventTypeHeaders = [] }) => eventTypeHeaders),
    id: [...schemes.filter(({ signedId }) => !signedId), ...schemes.filter(({ signedId }) => signedId)]
      .flatMap(({ idHeaders = [] }) => idHeaders)
      .concat('x-request-id'),
    shortType: schemes.flatMap(({ shortTypeField, eventTypeHeaders = [] }) =>
      shortTypeField === undefined ? [] : { headers: eventTypeHeaders, field: shortTypeField },
    ),
  }
  collectedHeaders.set(schemes, knownHeaders)
  return knownHeaders
}

/** The type of an event that has none. */
export const untyped = 'unknown'

/** Returns the event's type: from a scheme's header, else the payload's `event_type` or `type`, else `unknown` (rules: Events 1). */
const eventTypeOf = (headers: Headers, payload: Json, { eventType }: KnownHeaders): string => {
  const named = usableType(header(headers, ...eventType))
  if (named !== undefined) return named
  return (isObject(payload) ? (usableType(own(payload, 'event_type')) ?? usableType(own(payload, 'type'))) : undefined) ?? untyped
}

/** Returns the short form of the event's type: GitLab sends "Merge Request Hook" in the header, and `merge_request` in the payload. */
const shortForm = (headers: Headers, payload: Json, { shortType }: KnownHeaders): string | undefined => {
  const named = shortType.find((each) => header(headers, ...each.headers) !== undefined)
  return named && isObject(payload) ? usableType(own(payload, named.field)) : undefined
}

const longId = 200

/**
 * Returns the delivery id. A captured request must not look new because of a changed header, so where the scheme signs the delivery id,
 * only the signed id counts. Otherwise the id comes from a scheme's header or X-Request-ID, or from `repeat`, or it is random
 * (rules: Events 3). A long id is replaced by its hash.
 */
const deliveryIdOf = (
  { headers, verification }: VerifiedRequest,
  { id: idHeaders }: KnownHeaders,
  own: string | undefined,
  repeat: () => string | undefined,
): string => {
  const id = verification.signedId || own || header(headers, ...idHeaders) || repeat() || randomUUID()
  return id.length <= longId ? id : `sha256:${hash('sha256', id)}`
}
