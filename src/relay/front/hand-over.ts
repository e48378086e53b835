/** Answers the gateways that a relay serves: hands requests over, and takes answers and questions about the state. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { StoreFault } from '../../core/fault.ts'
import { header } from '../../core/headers.ts'
import { parseObject } from '../../core/json.ts'
import { networkOf } from '../../core/network.ts'
import { errorReply } from '../../core/reply.ts'
import { readBody } from '../../http/body.ts'
import type { BodyMemory } from '../../http/body-memory.ts'
import { peerAddress } from '../../http/client.ts'
import type { ClientConnection } from '../../http/connection.ts'
import type { Pace } from '../../http/pace.ts'
import { writeReply } from '../../http/write-reply.ts'
import { isSameSecret } from '../../secrets/same-secret.ts'
import { decodeFrames, encodeFrames, type WireFrame } from '../wire/frames.ts'
import {
  type DoneHead,
  doneHead,
  donePath,
  leavingHeader,
  maxDoneBytes,
  pullerForm,
  pullerHeader,
  statusPath,
  takePath,
} from '../wire/messages.ts'
import type { GatewayQueue } from './gateway-queue.ts'
import type { GatewaySettings } from './relay-settings.ts'

export type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly connection: ClientConnection }

/** The settings of a gateway that the relay serves, and the queue of requests for it. */
export type ServedGateway = { readonly settings: GatewaySettings; readonly queue: GatewayQueue }

export type HandOverOptions = {
  readonly bodyMemory: BodyMemory
  readonly pace: Pace
  readonly status: (gateway: string) => object
}

/** Whether a request shows one of the keys. All keys are compared, so that the time reveals nothing. */
const showsKey = (request: IncomingMessage, keys: readonly string[]): boolean => {
  const [, shown = ''] = /^Bearer +(\S+)$/i.exec(header(request.headers, 'authorization') ?? '') ?? []
  return keys.filter((key) => isSameSecret(shown, key)).length > 0
}

/** Answers a gateway. `path`: the path below the gateway's address. */
export type HandOver = (asked: HttpExchange, served: ServedGateway | undefined, path: string) => void

export const createHandOver = ({ bodyMemory, pace, status }: HandOverOptions): HandOver => {
  const refuse = (
    { response, connection }: HttpExchange,
    code: number,
    why: string,
    headers?: { readonly [name: string]: string },
  ): void => {
    if (connection.hasLargeRest) connection.closeAfter(response)
    if (!response.destroyed && !response.headersSent) writeReply(response, errorReply(code, why, headers))
  }
  const withBody = (asked: HttpExchange, then: (body: Buffer) => Promise<void>): void => {
    const { request, response } = asked
    const client = (): string => networkOf(peerAddress(request.socket))
    readBody(request, response, { maxBytes: maxDoneBytes, client, bodyMemory, pace: () => pace }, (body) => {
      if (body === 'gone') return
      if (!Buffer.isBuffer(body)) return refuse(asked, body === 'too large' ? 413 : 503, `the message is not read: ${body}`)
      then(body).catch((error) => {
        const isDisk = error instanceof StoreFault
        refuse(asked, isDisk ? 503 : 500, isDisk ? 'the relay cannot write' : 'Internal error', { 'Retry-After': '1' })
      })
    })
  }

  const take = async ({ response }: HttpExchange, queue: GatewayQueue, puller: string, body: Buffer): Promise<void> => {
    const { holds } = parseObject(body.toString()) ?? {}
    const gone = new AbortController()
    response.once('close', () => !response.writableFinished && gone.abort())
    const held = new Set(Array.isArray(holds) ? holds.map(String) : [])
    const frames = await queue.take(puller, held, gone.signal)
    const bytes = encodeFrames(frames)
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes.length })
    response.end(bytes)
  }

  const done = async (asked: HttpExchange, queue: GatewayQueue, puller: string, body: Buffer): Promise<void> => {
    const answers = decodeFrames(body)?.flatMap(({ head, body }): WireFrame<DoneHead>[] => {
      const read = doneHead(head)
      return read ? [{ head: read, body }] : []
    })
    if (!answers) return refuse(asked, 400, 'no frames: see docs/relay.md')
    try {
      await queue.done(puller, answers)
    } finally {
      if (header(asked.request.headers, leavingHeader) !== undefined) queue.leave(puller)
    }
    writeReply(asked.response, { status: 200, type: 'application/json', body: '{}' })
  }

  return (asked, served, path) => {
    const { request, response } = asked
    const isAllowed = showsKey(request, served?.settings.keys ?? [])
    if (!served || !isAllowed) return refuse(asked, 401, 'a key of this gateway is needed', { 'WWW-Authenticate': 'Bearer' })
    const { queue, settings } = served
    if (path === statusPath && request.method === 'GET')
      return writeReply(response, { status: 200, type: 'application/json', body: JSON.stringify(status(settings.name)) })
    if (request.method !== 'POST' || (path !== takePath && path !== donePath)) return refuse(asked, 404, 'Not found')
    const puller = header(request.headers, pullerHeader) ?? ''
    if (!pullerForm.test(puller)) return refuse(asked, 400, `${pullerHeader} is missing`)
    withBody(asked, (body) => (path === takePath ? take(asked, queue, puller, body) : done(asked, queue, puller, body)))
  }
}
