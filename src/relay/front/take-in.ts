/**
 * Takes a request of a sender: keeps it for its gateway, and answers once it is kept, or asks the gateway for the answer. Nobody verifies
 * anything here, so what may be kept is bounded for each route and client.
 */

import type { Clock } from '../../core/clock.ts'
import { StoreFault } from '../../core/fault.ts'
import { header, isPrefetch } from '../../core/headers.ts'
import { routeNamePattern } from '../../core/names.ts'
import { networkOf } from '../../core/network.ts'
import type { Reply } from '../../core/outcome.ts'
import { errorReply } from '../../core/reply.ts'
import type { RequestHead } from '../../core/request.ts'
import { readBody } from '../../http/body.ts'
import type { BodyMemory } from '../../http/body-memory.ts'
import type { Pace } from '../../http/pace.ts'
import { maxRawHeaders, parsePath } from '../../http/receive.ts'
import { dropOwnHeaders, requestHead } from '../../http/request-head.ts'
import { statusToken } from '../../http/status/status-door.ts'
import { writeReply } from '../../http/write-reply.ts'
import type { ItemHead } from '../wire/messages.ts'
import type { GatewayQueue } from './gateway-queue.ts'
import type { HttpExchange, ServedGateway } from './hand-over.ts'
import { type RouteSettings, relayRouteOf } from './relay-settings.ts'

export type TakeInOptions = {
  readonly clock: Clock
  readonly bodyMemory: BodyMemory
  readonly pace: Pace
  readonly trustProxy: boolean | readonly string[]
  /** Called with each request that is refused because its lane has no room. */
  readonly full: (gateway: string, lane: string) => void
  /** Called with the reason for which a request cannot be written to the disk. */
  readonly failed: (reason: string) => void
}

const retryAfter = { 'Retry-After': '30' }
const tooFull = errorReply(503, 'Too much is kept for this route', retryAfter)
const unreachable = errorReply(503, 'The gateway is not connected', { 'Retry-After': '5' })
const methodsOfQuestions: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A status address belongs to no route of the relay, so a question for it waits as long as a request of a route without settings. */
const statusLane = 'status'
const statusRoute = relayRouteOf({})

/** One request, from its head to its answer. `head`: as the sender sent it; `item`: as the gateway gets it. */
type TakenRequest = HttpExchange & {
  readonly queue: GatewayQueue
  readonly gateway: string
  readonly route: RouteSettings
  readonly head: RequestHead
  readonly item: Omit<ItemHead, 'id'>
}

/** Returns the name of the lane of a webhook path; `undefined` for any other path, and for a name that no route has. */
const laneOf = (path: string): string | undefined => {
  const parsed = parsePath(path)
  if (!parsed || !routeNamePattern.test(parsed.name)) return undefined
  if (parsed.prefix === undefined) return parsed.name
  return routeNamePattern.test(parsed.prefix) ? `p/${parsed.prefix}/${parsed.name}` : undefined
}

const answer = ({ response, connection }: Omit<HttpExchange, 'request'>, reply: Reply): void => {
  if (response.destroyed || response.headersSent) return
  if (connection.hasLargeRest) connection.closeAfter(response)
  try {
    writeReply(response, reply)
  } catch {
    // A gateway answered with a header that HTTP does not allow.
    writeReply(response, errorReply(502, 'The answer of the gateway cannot be sent'))
  }
}

/** Asks the gateway, and keeps nothing: for the questions that senders ask with GET, for example. */
const askOnly = async (taken: TakenRequest): Promise<void> => {
  const reply = await taken.queue.ask(taken.item, taken.route.waitMs)
  answer(taken, reply ?? unreachable)
}

/** Takes a request of a sender. `target`: its path and query without the name of the gateway. */
export type TakeIn = (asked: HttpExchange, served: ServedGateway | undefined, target: string) => void

export const createTakeIn = (options: TakeInOptions): TakeIn => {
  const { clock, bodyMemory, pace, trustProxy, full, failed } = options

  const refuseFull = (taken: TakenRequest) => {
    full(taken.gateway, taken.item.lane)
    answer(taken, tooFull)
  }

  const keep = async (taken: TakenRequest, body: Buffer): Promise<void> => {
    const { queue, head, item, route } = taken
    const client = networkOf(head.remote())
    const kept: Reply = {
      status: 202,
      type: 'application/json; charset=utf-8',
      body: JSON.stringify({ status: 'accepted', route: item.lane }),
    }
    let reply: Promise<Reply | undefined> | undefined
    try {
      await queue.keep({ client, head: item, body }, (id) => {
        if (route.isLive && queue.isTaken) reply = queue.senders.answerTo(String(id), route.waitMs - (clock.now() - item.at))
      })
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      failed(error.message)
      return answer(taken, errorReply(503, 'The request cannot be kept', retryAfter))
    }
    answer(taken, (await reply) ?? kept)
  }

  const take = (taken: TakenRequest) => {
    const { request, response, head, item, route, queue, connection } = taken
    const { maxBodyBytes: maxBytes } = route
    if (request.rawHeaders.length > maxRawHeaders) {
      connection.closeAfter(response)
      return answer(taken, errorReply(431, 'Too many header fields'))
    }
    if (item.method !== 'POST') response.setHeader('Cache-Control', 'no-store')
    const isKept = route.methods.has(item.method) && !(item.method === 'GET' && isPrefetch(request.headers))
    const isQuestion = !isKept && methodsOfQuestions.has(item.method)
    if (!isQuestion && !isKept) return answer(taken, errorReply(405, 'Method not allowed', { Allow: [...route.methods].join(', ') }))
    const declared = Number(header(request.headers, 'content-length') ?? 0)
    const tooLarge = () => {
      connection.closeAfter(response)
      answer(taken, errorReply(413, 'Payload too large'))
    }
    if (declared > maxBytes) return tooLarge()
    if (isQuestion) return void askOnly(taken)
    const client = (): string => networkOf(head.remote())
    if (!queue.hasRoom(item.lane, client(), declared, route)) return refuseFull(taken)
    if (header(request.headers, 'expect') !== undefined) response.writeContinue()
    readBody(request, response, { maxBytes, client, bodyMemory, pace: () => pace }, (body) => {
      if (body === 'gone') return
      if (body === 'too large') return tooLarge()
      if (!Buffer.isBuffer(body)) return answer(taken, errorReply(body === 'too slow' ? 408 : 503, 'The body was not read', retryAfter))
      if (!queue.hasRoom(item.lane, client(), body.length, route)) return refuseFull(taken)
      void keep(taken, body).catch(() => answer(taken, errorReply(500, 'Internal error')))
    })
  }

  return (asked, served, target) => {
    const isStatus = asked.request.method !== 'POST' && statusToken(target) !== undefined
    const lane = isStatus ? statusLane : laneOf(target)
    const route = isStatus ? statusRoute : lane === undefined ? undefined : served?.settings.route(lane)
    if (!served || lane === undefined || !route) return answer(asked, errorReply(404, 'Not found'))
    dropOwnHeaders(asked.request)
    const at = clock.now()
    const head = requestHead(asked.request, trustProxy, at)
    const { method } = head
    const item = { lane, method, target, url: head.url(), headers: asked.request.rawHeaders, remote: head.remote(), at }
    take({ ...asked, queue: served.queue, gateway: served.settings.name, route, head, item })
  }
}
