/** Takes a request on a webhook path from its head to its answer: early checks, plan, body, reply. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.ts'
import type { EndedRequest } from '../core/facts/fact.ts'
import type { Facts } from '../core/facts/facts.ts'
import { header } from '../core/headers.ts'
import { networkOf } from '../core/network.ts'
import { refuse } from '../core/outcome.ts'
import type { RoutePlan } from '../core/plan.ts'
import { beginRequest, type OnBody, type Watch } from '../engine/run.ts'
import { lookUp, type Table } from '../plan/table.ts'
import { readBody, type Unread } from './body.ts'
import { createBodyMemory } from './body-memory.ts'
import type { ClientConnection } from './connection.ts'
import { createListenerContext, Exchange, endedOnError } from './exchange.ts'
import { createPace, eachTurn, type Pace, slowTurn } from './pace.ts'
import { atOnce } from './reply-batch.ts'
import { dropOwnHeaders, requestHead } from './request-head.ts'

/** The part of the configuration that requests are served by. A reload replaces it as a whole. */
export type Serving = {
  readonly table: Table
  readonly maxBodyBytes: number
  readonly trustProxy: boolean | readonly string[]
}

export type ReceiveOptions = {
  readonly clock: Clock
  /** Returns the present configuration. A request asks once, and keeps the answer to its end. */
  readonly serving: () => Serving
  /** Whether the gateway stops. Each answer then ends its connection. */
  readonly stopping: () => boolean
  /** Whether new requests are refused because the gateway stops. */
  readonly refusing: () => boolean
  /** Whether a signature of this client failed on this route a short time ago. */
  readonly hasFailed: (route: string, client: () => string) => boolean
  /** Gets the end of each request as a fact. A request whose sender left before its body was read has no such fact. */
  readonly facts: Pick<Facts, 'emit'>
  /** Returns what watches the stages of a request on this route, for debug logs and traces. */
  readonly watch?: (route: string) => Watch
}

/**
 * The most entries of `rawHeaders`. Each header has two entries: name and value. By itself, Node would silently drop the headers after
 * about the 1,000th, even Content-Length. So the server lets Node keep all headers (`maxHeadersCount`), and a request with too many is
 * refused here.
 */
export const maxRawHeaders = 200
const retryAfterSeconds = 5

// A request target may be absolute, as in `POST http://host/webhooks/x` (RFC 9112, 3.2.2).
const webhookPath = /^(?:https?:\/\/[^/]*)?\/(?:p\/([^/?#]*)\/)?webhooks\/([^?#]*)/

/**
 * Returns the route's name in a request target, and the prefix of its profile where the path has one (`/p/<prefix>/webhooks/<name>`);
 * `undefined` for a target that is no webhook path.
 */
export const parsePath = (url: string): { readonly name: string; readonly prefix?: string } | undefined => {
  const match = webhookPath.exec(url)
  if (!match) return undefined
  const name = decode(match[2] as string)
  return match[1] === undefined ? { name } : { name, prefix: decode(match[1]) }
}

/** Decodes percent escapes. A text with a malformed escape is returned as it is: no route has such a name, so the request gets a 404. */
const decode = (part: string): string => {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

type WebhookPath = NonNullable<ReturnType<typeof parsePath>>

export interface RequestReceiver {
  /** Takes a POST on a webhook path, or a request of another method that its route may take, and answers it. */
  receive(request: IncomingMessage, response: ServerResponse, path: WebhookPath, connection: ClientConnection): void
  /** Whether the route at `path` names its methods, or has handshakes with this one. `method` is not POST. */
  mayTake(method: string, path: WebhookPath): boolean
  /** The number of requests without an answer. */
  readonly active: number
  /** The bytes of unfinished bodies in memory. */
  readonly bodyBytes: number
}

export const createReceiver = (options: ReceiveOptions): RequestReceiver => {
  const bodyMemory = createBodyMemory(options.clock)
  const pace = createPace(eachTurn)
  const slowPace = createPace(slowTurn)
  const listener = createListenerContext(options)

  const receive: RequestReceiver['receive'] = (request, response, path, connection) => {
    dropOwnHeaders(request)
    const serving = options.serving()
    const exchange = new Exchange(listener, { request, response, connection, trustProxy: serving.trustProxy })
    const plan = endedOnError(() => checkBeforePlan(request, path, serving, options.refusing()))
    if (!('authenticate' in plan)) {
      // The size is checked before the route (rules: Order 1), but the record of the refusal must name the route.
      const route = plan === endedUnread['too large'] ? lookUp(serving.table, path.name, path.prefix) : undefined
      if (route && 'authenticate' in route) exchange.hold(route)
      return exchange.end(plan, atOnce)
    }
    exchange.hold(plan)
    const head = requestHead(request, serving.trustProxy, options.clock.now())
    // Whoever keeps the answer to a GET would answer the next one by it.
    if (head.method !== 'POST') response.setHeader('Cache-Control', 'no-store')
    const proceed = endedOnError(() => beginRequest(plan, head, options.watch?.(plan.name)))
    if (proceed instanceof Promise) return void proceed.then(withoutBody).then(exchange.endStored, exchange.fail)
    if (typeof proceed !== 'function' && !proceed.later) return exchange.end(proceed, atOnce)
    if (header(request.headers, 'expect') !== undefined) response.writeContinue()
    const client = (): string => networkOf(head.remote())
    const paceOf = (): Pace => (options.hasFailed(plan.name, head.remote) ? slowPace : pace)
    readBody(request, response, { maxBytes: serving.maxBodyBytes, client, bodyMemory, pace: paceOf }, (body) => {
      if (body === 'gone') return exchange.leave()
      if (typeof proceed !== 'function') return Buffer.isBuffer(body) ? exchange.endLater(proceed, body) : exchange.end(proceed, atOnce)
      const ended = Buffer.isBuffer(body) ? endedOnError(() => proceed(body)) : endedUnread[body]
      // `endStored` and `fail` are passed as they are: a closure made here would keep the body in memory until the work is stored.
      if (ended instanceof Promise) void ended.then(exchange.endStored, exchange.fail)
      else exchange.end(ended)
    })
  }
  return {
    receive,
    mayTake: (method, path) => mayTake(options.serving().table, method, path),
    get bodyBytes() {
      return bodyMemory.bytes
    },
    get active() {
      return listener.active
    },
  }
}

/**
 * Makes the checks that need no plan, in the order of the rules (Order 1). Returns the plan, or the end of a refused request. `refusing`:
 * whether the gateway takes no further request.
 */
export const checkBeforePlan = (
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  path: WebhookPath,
  { table, maxBodyBytes }: Serving,
  refusing: boolean,
): RoutePlan | EndedRequest => {
  if (refusing) return { outcome: refuse('stopping', { retryAfterSeconds }), stage: 'body_size' }
  if (rawHeaders.length > maxRawHeaders) return { outcome: refuse('too_many_headers'), stage: 'body_size' }
  if (Number(header(headers, 'content-length') ?? 0) > maxBodyBytes) return endedUnread['too large']
  const found = lookUp(table, path.name, path.prefix)
  return 'authenticate' in found ? found : { outcome: found, stage: 'route' }
}

const mayTake = (table: Table, method: string, { name, prefix }: WebhookPath): boolean => {
  const found = lookUp(table, name, prefix)
  return 'authenticate' in found && (found.methods !== undefined || found.handshakes?.methods.has(method) === true)
}

/** Goes on with a request that has no body. */
const withoutBody = (proceed: EndedRequest | OnBody): ReturnType<OnBody> =>
  typeof proceed === 'function' ? proceed(Buffer.alloc(0)) : proceed

/** The ends of requests whose body was not read, by the reason. */
const endedUnread = {
  'too large': { outcome: refuse('too_large'), stage: 'body_size' },
  'too slow': { outcome: refuse('too_slow', { detail: 'others needed the memory of a body that came too slowly' }), stage: 'body_size' },
  'no room': { outcome: refuse('overloaded', { retryAfterSeconds, detail: 'too many bodies at once' }), stage: 'body_size' },
} satisfies { readonly [why in Exclude<Unread, 'gone'>]: EndedRequest }
