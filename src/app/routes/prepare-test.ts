/** A test request to a route, as its real sender would post it: from a sample or a payload, signed. */

import { randomUUID } from 'node:crypto'
import { exit, Fault, usage } from '../../core/fault.ts'
import { isOfConnection } from '../../core/names.ts'
import { maskHeaders } from '../../journal/headers.ts'
import { schemes } from '../../parts/schemes/index.ts'
import { findSample, readSample } from '../samples/gallery.ts'
import type { Sample } from '../samples/sample-file.ts'
import type { Workspace } from '../workspace.ts'
import { editBody, type PayloadEdit } from './edit-payload.ts'
import { routeUrl } from './route-address.ts'
import { findRoute, readRoutes } from './routes.ts'
import type { TestPost } from './send-test.ts'
import { schemeOf, signedAs } from './sign-test.ts'

export type TestWish = PayloadEdit & {
  /** A sample by its name, or a body as JSON text. */
  readonly of: { readonly sample: string } | { readonly payload: string }
  readonly event?: string | undefined
  readonly id?: string | undefined
  readonly scheme?: string | undefined
  /** Another address than the configured one. */
  readonly url?: string | undefined
}

export type PreparedTest = TestPost & {
  readonly scheme: string
  /** The type that its headers say; `undefined` where only the payload may tell. */
  readonly event: string | undefined
  readonly id: string
}

/** Throws a Fault: for a route that is not served, for a sample that is not there, for what cannot be sent. */
export const prepareTest = (workspace: Workspace, asked: string, wish: TestWish): PreparedTest => {
  const known = readRoutes(workspace)
  const { route } = findRoute(known, asked)
  const [secret] = route?.secrets ?? []
  if (!route || secret === undefined) {
    const why = route ? 'it has no secret' : 'its entry is not valid'
    throw new Fault('invalid_route', `"${asked}" is not served: ${why}`, { exitCode: exit.no, hint: `${workspace.self} validate` })
  }
  const { config } = known.loaded
  if (wish.url === undefined && config.port === 0) throw usage('the configured port is 0 (any free one): give --url')
  const url = wish.url ?? routeUrl(config, route.name, route.profile)
  const sample: Sample = 'sample' in wish.of ? readSample(findSample(workspace, wish.of.sample)) : { headers: {}, body: wish.of.payload }
  const headers = lowerCased(sample.headers)
  const scheme = schemeOf(wish.scheme ?? 'auto', route.spec.verify, secret, headers)
  const event = wish.event ?? ('sample' in wish.of ? undefined : route.spec.events?.[0])
  const id = wish.id ?? randomUUID()
  const unsigned = { secret, body: editBody(sample.body, wish), id, at: Date.now() }
  const signed = signedAs(scheme, event === undefined ? unsigned : { ...unsigned, event })
  const all = { ...headersOf(sample, signed.headers, event !== undefined), ...signed.headers }
  refuseOddHeaders(all)
  return { url, scheme, event: event ?? eventHeaders.map((name) => headers[name]).find(Boolean), id, headers: all, body: signed.body }
}

const eventHeaders = schemes.flatMap(({ eventTypeHeaders = [] }) => eventTypeHeaders)
/** What every test has anew. */
const idHeaders: ReadonlySet<string> = new Set([...schemes.flatMap((scheme) => scheme.idHeaders ?? []), 'x-request-id'])

const lowerCased = (headers: Sample['headers']): Sample['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** The sample's headers that go with those of the signature; `isNamed`: the event's type is not the sample's. */
const headersOf = ({ headers }: Sample, signed: TestPost['headers'], isNamed: boolean): TestPost['headers'] => {
  const masked = maskHeaders(headers)
  const taken = new Set(Object.keys(signed).map((name) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase()
    const isOther = taken.has(lower) || idHeaders.has(lower) || isOfConnection(lower) || (isNamed && eventHeaders.includes(lower))
    return !isOther && masked[name] !== '***' && !schemes.some(({ shows }) => shows({ [lower]: '' }))
  })
  const hasType = kept.some(([name]) => name.toLowerCase() === 'content-type')
  return { ...(hasType ? {} : { 'Content-Type': 'application/json' }), ...Object.fromEntries(kept) }
}

const refuseOddHeaders = (headers: TestPost['headers']): void => {
  const odd = Object.entries(headers).find(([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
  if (odd)
    throw usage(`the header ${JSON.stringify(odd[0])} cannot be sent: its name is none, or its value has control or non-latin characters`)
}
