/**
 * The stage `json` parses a verified body once, and makes the event: its payload, its type and its delivery id. It also makes the mask,
 * which hides the secrets in a request before the request is parsed.
 */

import { randomUUID } from 'node:crypto'
import type { WithText } from '../../core/exact-json.ts'
import { header, pulledTypeHeader } from '../../core/headers.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { type Refused, refuse } from '../../core/outcome.ts'
import type { MaskRequest, Parse } from '../../core/plan.ts'
import type { BodyContent, Event, Headers, VerifiedRequest } from '../../core/request.ts'
import { broughtTraceparent } from '../../core/telemetry/trace-context.ts'
import type { Route } from '../../generated/config.ts'
import { boundedId, unknownType, usableType } from '../body/event-values.ts'
import { takeFiles } from '../body/multipart/attachments.ts'
import { whyNotJson } from '../body/payload.ts'
import { compileRedaction } from '../body/redact-request.ts'
import { ReadOnceBody } from '../body/request-body.ts'
import { compileReading, mayReadQuery, readsOwnKind } from '../body/route-body.ts'
import { shortTitle } from '../known-events.ts'
import { compileMask } from '../mask-request.ts'
import type { Scheme } from '../schemes/scheme.ts'
import { verifyNames } from '../written-names.ts'
import type { StageKit, StagePart } from './stage.ts'

export const json: StagePart = {
  name: 'json',
  compile(route, kit) {
    const mask = compileRouteMask(kit.schemes, verifyNames(route))
    const trustsCaller = kit.effects.traces !== undefined && route.trust_trace_context === true
    const [own, shared] = [route.redact ?? [], kit.adapter.redact ?? []]
    const redact = compileRedaction([...shared, ...own], tellingMissed(own, shared, kit), {
      isInQuery: mayReadQuery(route),
      isOwnKind: readsOwnKind(route),
    })
    return { parse: compileParser(kit, route, trustsCaller), ...(mask ? { mask } : {}), ...(redact ? { redact } : {}) }
  },
}

/**
 * Makes the function that reports fields of the route which an event does not have, so that nothing was hidden there. Fields of the adapter
 * are for all routes, so most events lack them: they are only counted.
 */
const tellingMissed = (
  own: readonly string[],
  shared: readonly string[],
  { effects }: StageKit,
): ((event: Event, absent: readonly string[]) => void) => {
  const told = new Set<string>()
  return (event, absent) => {
    effects.redactionJudged?.(event, { fields: own, absent }, { fields: shared, absent })
    const missed = absent.filter((field) => own.includes(field))
    if (missed.length === 0) return
    const first = missed.filter((field) => !told.has(field))
    for (const field of first) told.add(field)
    effects.redactionMissed?.(event, missed, first)
    effects.onlooker?.noted(
      `redact: ${missed.join(', ')} ${missed.length === 1 ? 'is' : 'are'} not in this event: nothing was hidden there`,
    )
  }
}

/** What an event has of its lookups until they were asked, so that nothing reads a key of its payload in their place. */
const noAnswers: WithText = { text: '{}', payload: {} }

/**
 * Compiles the parser of a route: it takes a verified request, and returns its event, or the refusal of a body that is malformed or has too
 * many values. `path`: the path of the route, for requests that were not received over HTTP. `schemes`: all schemes that the route may use.
 * `trustsCaller`: the event's trace continues the trace that the request names.
 */
export const compileParser = (
  { name, profile, path, schemes }: Pick<StageKit, 'name' | 'profile' | 'path' | 'schemes'>,
  route: Pick<Route, 'verify' | 'events' | 'attachments' | 'split' | 'methods' | 'body' | 'lookup'> = {},
  trustsCaller = false,
): Parse => {
  const named = verifyNames(route)
  const readType = compileTypeReader(route.events ?? [])
  // The readers of a scheme come before the headers that any sender may set: where the sender signs the type and the id, the scheme reads
  // the signed values.
  const withReaders = schemes.filter((scheme) => scheme.reads && (!scheme.byName || named.includes(scheme.name)))
  const readersFor = readersByScheme(withReaders, schemes)
  // The schemes whose event type is read from the body. For their requests no header names a type, because a stranger could add such a
  // header to a captured body without a type.
  const typedInBody = new Set(
    withReaders.filter(({ reads, eventTypeHeaders = [] }) => reads?.eventType && eventTypeHeaders.length === 0).map(({ name }) => name),
  )
  const knownValues = knownValuesOf(schemes)
  const ofPulled = { eventType: [pulledTypeHeader, ...knownValues.eventType] }
  const readRequest = compileReading(route, secretParameters(schemes, named))
  return (request) => {
    const { headers, verification, pathAndQuery = path } = request
    const body = request.read ?? new ReadOnceBody(headers, request.body)
    const content = readRequest ? readRequest(request, body, pathAndQuery) : body.content()
    if (content.kind === 'unread') return refuseUnread(content, () => whyNotJson(headers, request.body))
    // The payload of a multipart body lists the files of that body; no other kind of body has files.
    const filed = content.kind === 'multipart' ? takeFiles(content, route) : undefined
    const { text, payload } = filed ?? content
    const readers = readersFor(verification.scheme)
    const event: Event = {
      eventId: request.eventId,
      route: name,
      profile,
      headers,
      text,
      payload,
      method: request.method,
      pathAndQuery,
      eventType:
        usableType(firstFound(readers, (each) => readType(each, headers, payload))) ??
        eventTypeOf(typedInBody.has(verification.scheme) ? {} : headers, payload, request.isPulled ? ofPulled : knownValues),
      eventAlias: undefined,
      ...shortForm(headers, payload, knownValues),
      deliveryId: deliveryIdOf(
        request,
        knownValues,
        firstFound(readers, (each) => each.deliveryId?.(headers, body)),
        () => firstFound(readers, (each) => each.repeatId?.(headers, body)),
      ),
      at: request.at,
      claimMs: request.kept?.claimMs,
      isReplay: request.replay?.isNew,
      traceparent: trustsCaller ? broughtTraceparent(headers) : undefined,
      ...(filed && filed.kept.length > 0 ? { files: filed.kept } : {}),
      ...(route.lookup ? { lookup: noAnswers } : {}),
    }
    request.read?.take()
    return event
  }
}

/** Returns the parameters of the address in which the senders of a route put a secret. */
const secretParameters = (schemes: readonly Scheme[], named: readonly string[]): readonly string[] =>
  schemes.flatMap(({ name, secretQuery = [] }) => (named.length === 0 || named.includes(name) ? secretQuery : []))

const refuseUnread = (
  { why, detail }: Extract<BodyContent, { readonly kind: 'unread' }>,
  placeInJson: () => string | undefined,
): Refused => {
  if (why === 'not JSON') {
    const known = detail ?? placeInJson()
    return refuse('bad_json', known === undefined ? {} : { detail: known })
  }
  return refuse('too_large', { detail: detail ?? 'more than 100,000 lists and maps, or 1,000 fields' })
}

/**
 * Returns the function that gives the readers for the scheme that verified a request. The readers of the route's other schemes do not
 * apply. Where no scheme verified the request, as for a test or a replay, the readers of all schemes of the route apply.
 */
const readersByScheme = (withReaders: readonly Scheme[], schemes: readonly Scheme[]): ((verifiedBy: string) => readonly EventReaders[]) => {
  const known = new Map<string, readonly EventReaders[]>()
  return (verifiedBy) => {
    const made = known.get(verifiedBy)
    if (made) return made
    const isKnown = schemes.some(({ name }) => name === verifiedBy)
    const readers = withReaders.flatMap((scheme) => (scheme.reads && (scheme.name === verifiedBy || !isKnown) ? [scheme.reads] : []))
    known.set(verifiedBy, readers)
    return readers
  }
}

/** Makes the function that masks the requests of a route. All routes that name no scheme share one function. */
const compileRouteMask = (schemes: readonly Scheme[], named: readonly string[]): MaskRequest | undefined =>
  named.length === 0 ? knownValuesOf(schemes).mask : compileMask(schemes.filter(({ name }) => named.includes(name)))

type EventReaders = NonNullable<Scheme['reads']>

/**
 * Makes the function that reads the type of a request. A request of several events becomes one event. Its type is the first type that the
 * route lists, because a listed type may come after other types. Where none of the types is listed, or the route lists nothing, the type is
 * that of the first event in the request.
 */
const compileTypeReader = (events: readonly string[]) => {
  const listed = new Set(events)
  return ({ eventType, several }: EventReaders, headers: Headers, payload: Json): string | undefined =>
    (several && listed.size > 0 ? several.typesIn(headers, payload).find((type) => listed.has(type)) : undefined) ??
    eventType?.(headers, payload)
}

/** Returns the first value that is neither missing nor empty. */
const firstFound = (readers: readonly EventReaders[], read: (each: EventReaders) => string | undefined): string | undefined => {
  for (const each of readers) {
    const found = read(each)
    if (found !== undefined && found !== '') return found
  }
  return undefined
}

/**
 * The values that all schemes together name: the headers of the event's type and of the delivery id, the short form of the type, and the
 * mask of the places that may have a secret.
 */
type KnownValues = {
  readonly mask: MaskRequest | undefined
  readonly eventType: readonly string[]
  readonly id: readonly string[]
  readonly shortType: readonly (Pick<Scheme, 'shortTypesOf'> & { readonly headers: readonly string[]; readonly field: string })[]
}

const collectedHeaders = new WeakMap<readonly Scheme[], KnownValues>()

/**
 * Collects the values once for all routes. The id headers of a scheme that signs the id come last. Its own requests have a signed id, which
 * is used before any header, so these headers count only in requests of other schemes.
 */
const knownValuesOf = (schemes: readonly Scheme[]): KnownValues => {
  const knownValues = collectedHeaders.get(schemes) ?? {
    mask: compileMask(schemes),
    eventType: schemes.flatMap(({ eventTypeHeaders = [] }) => eventTypeHeaders),
    id: [...schemes.filter(({ signedId }) => !signedId), ...schemes.filter(({ signedId }) => signedId)]
      .flatMap(({ idHeaders = [] }) => idHeaders)
      .concat('x-request-id'),
    shortType: schemes.flatMap(({ shortTypeField, shortTypesOf, eventTypeHeaders = [] }) =>
      shortTypeField === undefined ? [] : { headers: eventTypeHeaders, field: shortTypeField, ...(shortTypesOf ? { shortTypesOf } : {}) },
    ),
  }
  collectedHeaders.set(schemes, knownValues)
  return knownValues
}

/** Returns the event's type: from a scheme's header, else the payload's `event_type` or `type`, else `unknown` (rules: Events 1). */
const eventTypeOf = (headers: Headers, payload: Json, { eventType }: Pick<KnownValues, 'eventType'>): string => {
  const named = usableType(header(headers, ...eventType))
  if (named !== undefined) return named
  return (isObject(payload) ? (usableType(own(payload, 'event_type')) ?? usableType(own(payload, 'type'))) : undefined) ?? unknownType
}

/**
 * Returns the short form of the event's type; `undefined` where the sender has none. GitLab has "Merge Request Hook" in the header, and the
 * short form `merge_request` in the payload. Where the payload has none, the words of the header give it. Where the header and the
 * payload name different types, the type is unknown.
 */
const shortForm = (headers: Headers, payload: Json, { shortType }: KnownValues): Partial<Pick<Event, 'eventType' | 'eventAlias'>> => {
  for (const { headers: names, field, shortTypesOf } of shortType) {
    const title = header(headers, ...names)
    if (title === undefined) continue
    const short = isObject(payload) ? usableType(own(payload, field)) : undefined
    const fitting = short === undefined ? undefined : shortTypesOf?.(title)
    return fitting?.includes(short ?? '') === false ? { eventType: unknownType } : { eventAlias: short ?? shortTitle(title) }
  }
  return {}
}

/**
 * Returns the delivery id. A captured request must not look new because of a changed header, so where the scheme signs the delivery id,
 * only the signed id counts. Otherwise the id is the first of: the id that the scheme reads (`schemeId`), a header of a known sender or
 * X-Request-ID, the digest of the signed content (`repeatId`), the id that a relay gave (`kept`), a random id (rules: Events 3). A long id
 * is replaced by its hash.
 */
const deliveryIdOf = (
  { headers, verification, kept }: VerifiedRequest,
  { id: idHeaders }: KnownValues,
  schemeId: string | undefined,
  repeatId: () => string | undefined,
): string => boundedId(verification.signedId || schemeId || header(headers, ...idHeaders) || repeatId() || kept?.id || randomUUID())
