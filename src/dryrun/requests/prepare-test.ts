/** Makes a test request to a route from a sample or a payload, and signs it as the real sender would. */

import { randomUUID } from 'node:crypto'
import type { RouteSource } from '../../config/config.ts'
import { pathAndQueryOf } from '../../core/address/path-and-query.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { isOfConnection, isOwnHeader } from '../../core/headers.ts'
import type { Headers } from '../../core/request.ts'
import { stars } from '../../core/secret-names.ts'
import { pinOf } from '../../datadir/pinned-connection.ts'
import { listenerAt, routeUrl, senderUrl } from '../../datadir/route-address.ts'
import { findRoute, type RouteEntries, readRoutesFor } from '../../datadir/routes.ts'
import { type GatewayFinder, runningStatus } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Route } from '../../generated/config.ts'
import { unknownType } from '../../parts/body/event-values.ts'
import { boundaryOf } from '../../parts/body/multipart/split-parts.ts'
import { bodyKind } from '../../parts/body/payload.ts'
import { readsOwnKind } from '../../parts/body/route-body.ts'
import { schemes } from '../../parts/schemes/index.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { compileParser } from '../../parts/stages/json.ts'
import { verifyNames } from '../../parts/written-names.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { routePath } from '../../plan/compile.ts'
import { allSchemes } from '../../plan/route-schemes.ts'
import { maskHeaders } from '../../secrets/mask.ts'
import { findSample, readSample } from '../samples/gallery.ts'
import type { Sample } from '../samples/sample-file.ts'
import { editBody, type PayloadEdit } from './edit-payload.ts'
import { type Encoding, isInAddress, methodFor, typeOfContent, withParameters } from './request-form.ts'
import { schemeOf, servesUnnamed, signedAs } from './sign-test.ts'

/** The ingredients of a test request. */
export type RequestInput = PayloadEdit & {
  /** The sample or the body that is posted. */
  readonly of: Sample | { readonly payload: string }
  /**
   * `event`: the event type to name. `id`: the delivery id. `scheme`: the name of the scheme to sign with. Absent: they follow from the
   * content and the route, and the id is random.
   */
  readonly event?: string | undefined
  readonly id?: string | undefined
  readonly scheme?: string | undefined
  /**
   * The query of the address, without its question mark; where absent, that of the sample. An address with a query (`url`) keeps its own.
   */
  readonly query?: string | undefined
  /** Absent: that of the sample, else POST where the route takes it. */
  readonly method?: string | undefined
  /** Headers to send beside the headers of the sample and of the signature. */
  readonly headers?: Sample['headers'] | undefined
  /** The schemes that `scheme` may name, schemes of plugins included. */
  readonly schemes: readonly Scheme[]
  /** The wall time of sending, in milliseconds. */
  readonly at: number
  /**
   * `url`: the address that the request is posted to; a loopback address where absent. `publicUrl`: the public address of the gateway
   * (`public_url`), which a scheme may sign in place of `url`.
   */
  readonly url?: string | undefined
  readonly publicUrl?: string | undefined
  /** The sender's private key in PEM, for schemes that sign with a private key. */
  readonly privateKey?: string | undefined
}

/** A request to post, with its signature in headers, body or URL. */
export type TestPost = {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** How the body is compressed when it is sent (`bytesOf`). Absent: not at all. */
  readonly encoding?: Encoding | undefined
  /** The SHA-256 of the certificate that must be shown; absent where the usual check of certificates counts. */
  readonly pin?: string | undefined
}

/** A signed request, ready to post. `id`: its delivery id. */
export type TestRequest = TestPost & {
  readonly scheme: string
  /** The event's type, as the route reads it in headers and payload; `undefined` where neither names a type. */
  readonly event: string | undefined
  readonly id: string
}

export type TestInput = PayloadEdit &
  Pick<RequestInput, 'event' | 'id' | 'scheme' | 'query' | 'method' | 'privateKey'> & {
    /** The content of the test: a sample, the name of a sample, or a body. */
    readonly of: { readonly sample: string } | { readonly payload: string } | Sample
    /** The address to post to; where absent, the address of the running gateway or, where none runs, the configured address. */
    readonly url?: string | undefined
    readonly encoding?: Encoding | undefined
    /** Lets the user change the body by hand, after single values were set in it. */
    readonly byHand?: ((body: string) => Promise<string>) | undefined
  }

export type PreparedTest = TestRequest & { readonly route: string }

/**
 * Prepares a test of a route. Throws a Fault for a route that is not served, a sample that does not exist, and a request that cannot be
 * sent.
 */
export const prepareTest = async (
  workspace: Workspace,
  finder: GatewayFinder,
  asked: string,
  { of, url, byHand, encoding, ...input }: TestInput,
): Promise<PreparedTest> => {
  const status = url === undefined ? await runningStatus(finder) : undefined
  const entries = await readRoutesFor(workspace, asked)
  const route = servedRoute(entries, asked, workspace)
  const { config } = entries.loaded
  const listener = status === undefined ? config : listenerAt(status.url)
  if (url === undefined && listener.port === 0) throw usage('the configured port is 0 (any free one), and no gateway runs: give --url')
  const sample = 'sample' in of ? readSample(findSample(workspace, of.sample)) : of
  const schemes = allSchemes((await catalogueOf(config)).catalogue, route.spec)
  const at = url ?? routeUrl(listener, route.name, route.profile)
  const requestOf = (content: PayloadEdit & Pick<RequestInput, 'of'>): TestRequest =>
    requestTo(route, { ...input, ...content, schemes, at: Date.now(), url: at, publicUrl: config.adapter.public_url })
  // A request that cannot be sent is refused before anybody edits it.
  if (url !== undefined) httpUrl(url)
  const request = requestOf({ ...input, of: sample })
  const ready = byHand ? requestOf(await editedByHand(sample, input, byHand)) : request
  const sent = { route: route.name, ...ready, pin: status && pinOf(status) }
  if (encoding === undefined) return sent
  if (ready.body === '') throw usage('--encoding: the request has no body')
  return { ...sent, encoding, headers: { ...ready.headers, 'Content-Encoding': encoding } }
}

/** Makes the edits of single values, lets the user edit the body by hand, and returns the content with no edit left to make. */
const editedByHand = async (of: RequestInput['of'], edit: PayloadEdit, byHand: NonNullable<TestInput['byHand']>) => {
  const body = await byHand(editBody('payload' in of ? of.payload : of.body, edit))
  return { of: 'payload' in of ? { payload: body } : { ...of, body }, set: [], unset: [] }
}

/** Returns the route of a name. Throws a Fault where there is no such route, and for a route whose entry is not valid. */
export const servedRoute = (known: RouteEntries, asked: string, { self }: Workspace): RouteSource => {
  const { route } = findRoute(known, asked)
  if (route) return route
  throw new Fault('invalid_route', `"${asked}" is not served: its entry is not valid`, { exitCode: exit.no, hint: `${self} validate` })
}

const whyNoPost = ({ address, poll }: Route): string => {
  if (address === false) return 'takes no post: it has no address. Test the route that dispatches to it'
  return poll ? 'takes no post: its messages are polled, and it has no secret' : 'is not served: it has no secret'
}

/**
 * Returns a request to a route, signed with the route's first secret as its sender would sign it. Throws a Fault for a request that cannot
 * be sent.
 */
export const requestTo = ({ name, secrets, spec, profile }: RouteSource, input: RequestInput): TestRequest => {
  // A scheme whose keys are fetched needs no secret.
  const [secret = verifyNames(spec).length > 0 ? '' : undefined] = secrets
  if (secret === undefined) {
    throw new Fault('invalid_route', `"${name}" ${whyNoPost(spec)}`, { exitCode: exit.no })
  }
  const isSample = !('payload' in input.of)
  const sample: Sample =
    'payload' in input.of ? { headers: readsOwnKind(spec) ? {} : headersOf(input.of.payload), body: input.of.payload } : input.of
  const method = methodFor(spec, input.method ?? sample.method)
  const isBodiless = isInAddress(spec, method)
  const headers = lowerCased(sample.headers)
  const scheme = schemeOf(input.scheme ?? 'auto', spec, secret, input.schemes, headers)
  const edited = editBody(sample.body, input)
  const body = isBodiless ? '' : edited
  const typeOf = typeReader({ name, profile, spec }, input.schemes, scheme)
  const address = withQuery(input.url ?? `http://127.0.0.1${routePath({ name, profile })}`, input.query ?? sample.query)
  const url = isBodiless ? withParameters(address, edited) : address
  const contentType = headers['content-type'] ?? typeOfContent(spec, isBodiless)
  const namesNone = !isSample && typeOf({ method, url, headers: lowerCased({ ...headers, ...input.headers }), body }) === undefined
  const event = input.event ?? (namesNone ? spec.events?.[0] : undefined)
  const id = input.id ?? randomUUID()
  const unsigned = {
    secret,
    method,
    body,
    id,
    at: input.at,
    url: senderUrl({ name, profile, spec }, url, input.publicUrl),
    ...(contentType === undefined ? {} : { contentType }),
    ...(input.privateKey === undefined ? {} : { privateKey: input.privateKey }),
  }
  const signed = signedAs(scheme, event === undefined ? unsigned : { ...unsigned, event }, input.schemes)
  const all = { ...sampleHeaders(sample, signed.headers, event !== undefined, contentType), ...input.headers, ...signed.headers }
  refuseOddHeaders(all)
  return {
    scheme,
    event: event ?? typeOf({ method, url, headers: lowerCased(all), body: signed.body }),
    id,
    method,
    headers: all,
    body: signed.body,
    url: withQueryOf(url, signed.url),
  }
}

/** Returns the headers of a payload alone: the content type of XML or multipart, which its first line shows; none of JSON. */
const headersOf = (body: string): Sample['headers'] => {
  const kind = bodyKind({}, Buffer.from(body))
  if (kind === 'xml') return { 'Content-Type': 'application/xml' }
  const boundary = kind === 'multipart' ? boundaryOf(body) : undefined
  return boundary === undefined ? {} : { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
}

/** Returns an address with a query, which is written without its question mark. An address that has a query keeps its own. */
export const withQuery = (url: string, query: string | undefined): string =>
  query && !url.includes('?') ? `${url}?${query.replace(/^\?/, '')}` : url

/** Returns the URL with the query of the signed address, because some schemes put their signature into the query. */
const withQueryOf = (url: string, signed: string | undefined): string =>
  signed === undefined ? url : `${url.replace(/\?.*$/, '')}${/\?.*$/.exec(signed)?.[0] ?? ''}`

const eventHeaders = schemes.flatMap(({ eventTypeHeaders = [] }) => eventTypeHeaders)
/** The names of the headers with delivery ids. A test request has new ids in place of the ids of its sample. */
const idHeaders: ReadonlySet<string> = new Set([...schemes.flatMap((scheme) => scheme.idHeaders ?? []), 'x-request-id'])

const lowerCased = (headers: Sample['headers']): Sample['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Returns the sample's headers that are sent beside the headers of the signature (`signed`), without its own signature, its ids, masked
 * values, and headers of its connection. `isNamed`: the test names the type of its event, so the headers with the type of the sample's
 * event are dropped, too. `contentType`: that of the body; absent where there is none.
 */
const sampleHeaders = (
  { headers }: Sample,
  signed: TestPost['headers'],
  isNamed: boolean,
  contentType: string | undefined,
): TestPost['headers'] => {
  const masked = maskHeaders(headers)
  const taken = new Set(Object.keys(signed).map((name) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase()
    const isOther = taken.has(lower) || idHeaders.has(lower) || isOfConnection(lower) || (isNamed && eventHeaders.includes(lower))
    return !isOther && masked[name] !== stars && !schemes.some(({ shows }) => shows({ [lower]: '' }))
  })
  const hasType = kept.some(([name]) => name.toLowerCase() === 'content-type')
  return { ...(hasType || contentType === undefined ? {} : { 'Content-Type': contentType }), ...Object.fromEntries(kept) }
}

/**
 * Returns the headers as the gateway receives them: in lower case, with the host `127.0.0.1` where they name no host, and without those that
 * the gateway takes from nobody.
 */
export const asReceived = (headers: TestPost['headers']): TestPost['headers'] => ({
  host: '127.0.0.1',
  ...lowerCased(Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwnHeader(name)))),
})

/** Throws a usage Fault for a header that Node cannot send. */
const refuseOddHeaders = (headers: TestPost['headers']): void => {
  const odd = Object.entries(headers).find(([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
  if (odd)
    throw usage(`the header ${JSON.stringify(odd[0])} cannot be sent: its name is none, or its value has control or non-latin characters`)
}

/**
 * Returns a function that reads the type of an event, as the route reads it. `scheme`: the scheme that signs the request. The function
 * returns `undefined` where headers and body name no type, or where the body cannot be read.
 */
const typeReader = (
  { name, profile, spec }: Pick<RouteSource, 'name' | 'profile' | 'spec'>,
  schemes: readonly Scheme[],
  scheme: string,
): ((request: {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}) => string | undefined) => {
  const named = verifyNames(spec)
  const read = schemes.filter((each) => servesUnnamed(each) || named.includes(each.name))
  const parse = compileParser({ name, profile, path: routePath({ name, profile }), schemes: read }, spec)
  const verification = { scheme, secret: 0, signedId: undefined }
  return ({ method, url, headers, body }) => {
    const known = { eventId: '', at: 0, remote: () => '', verification, pathAndQuery: pathAndQueryOf(url) }
    const event = parse({ ...known, method, headers, body: Buffer.from(body) })
    return 'kind' in event || event.eventType === unknownType ? undefined : event.eventType
  }
}

/** Parses an http address. Throws a usage Fault for any other text. */
export const httpUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw usage(`--url ${text}: not an http address`)
}
