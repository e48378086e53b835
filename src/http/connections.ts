/** All connections of a server: their requests and their errors begin here. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { errorReply, type Reply } from '../core/reply.ts'
import { networkOf, peerAddress } from './client.ts'
import type { Draining } from './close.ts'
import { Connection } from './connection.ts'

/** Connections at once, over all clients. */
export const maxConnections = 4_096
/** Of these, for one client; a proxy that speaks for all of them has as many. */
const maxPerClient = maxConnections / 2
/** How long nothing of an answer may leave; at most twice as long. */
const stuckMs = 30_000

/** Takes one request, of any method and path. */
export type Handle = (request: IncomingMessage, response: ServerResponse, connection: Connection) => void

export interface Connections extends Draining {
  /** Answers what the parser of a connection could not read. */
  fail(error: { readonly code?: string }, socket: Socket): void
}

/** Watches a server that was made with `requireHostHeader: false`: that answer, too, has a shape of its own here. */
export const watchConnections = (server: Server, clock: Clock, handle: Handle): Connections => {
  const open = new Map<Socket, Connection>()
  const perClient = new Map<string, number>()
  const on = (event: 'request' | 'checkContinue' | 'checkExpectation', then: Handle): void => {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const connection = open.get(request.socket)
      if (!connection) return
      connection.begin(request, response)
      if (request.headers.host === undefined && request.httpVersion === '1.1') connection.fail(errorReply(400, 'Host header is missing'))
      else then(request, response, connection)
    })
  }
  on('request', handle)
  // Without this Node invites every body with a 100, also one that is about to be refused for its size.
  on('checkContinue', handle)
  on('checkExpectation', (_request, _response, connection) => connection.fail(errorReply(417, 'Expectation failed')))
  server.on('connection', (socket) => {
    const client = networkOf(peerAddress(socket))
    const count = (perClient.get(client) ?? 0) + 1
    perClient.set(client, count)
    open.set(socket, new Connection(socket))
    socket.once('close', () => {
      open.delete(socket)
      const left = (perClient.get(client) ?? 0) - 1
      if (left > 0) perClient.set(client, left)
      else perClient.delete(client)
    })
    if (count > maxPerClient) socket.destroy()
  })
  // One look at all of them: a timer of each socket would be set and cancelled with every request.
  const look = (): void => {
    for (const connection of open.values()) connection.endIfStuck()
    cancel = clock.after(stuckMs, look)
  }
  let cancel = (): void => {}
  server.once('listening', () => {
    cancel = clock.after(stuckMs, look)
  })
  server.once('close', () => cancel())
  return {
    openConnections: () => open.size,
    endIdle() {
      for (const connection of open.values()) connection.endIfIdle()
    },
    fail: (error, socket) => open.get(socket)?.fail(replyToBroken(error.code)),
  }
}

const replyToBroken = (code: string | undefined): Reply => {
  if (code === 'HPE_HEADER_OVERFLOW') return errorReply(431, 'Header fields too large')
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? errorReply(408, 'Request timeout') : errorReply(400, 'Bad request')
}
