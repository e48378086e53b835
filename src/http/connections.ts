/** Watches all connections of a server, and passes on their requests and parser errors. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { header } from '../core/names.ts'
import type { Reply } from '../core/outcome.ts'
import { errorReply } from '../core/reply.ts'
import type { Draining } from './close.ts'
import { Connection } from './connection.ts'

/** The most open connections of all clients together. */
export const maxConnections = 4_096
/** The most for one client. A proxy counts as one client, so it is half of all. */
const maxPerClient = maxConnections / 2
/** How often stuck connections are ended: an answer that nobody reads waits for this time at least, and twice as long at most. */
const stuckMs = 30_000

/** Takes one request, of any method and path. */
export type Handle = (request: IncomingMessage, response: ServerResponse, connection: Connection) => void

export interface Connections extends Draining {
  /** Answers what the parser of a connection could not read. */
  fail(error: { readonly code?: string }, socket: Socket): void
}

/** Watches a server made with `requireHostHeader: false`: a missing Host header is answered here, in the shape of all our errors. */
export const watchConnections = (server: Server, clock: Clock, handle: Handle): Connections => {
  const open = new Map<Socket, Connection>()
  const on = (event: 'request' | 'checkContinue' | 'checkExpectation', then: Handle): void => {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const connection = open.get(request.socket)
      if (!connection) return
      connection.begin(request, response)
      if (header(request.headers, 'host') === undefined && request.httpVersion === '1.1')
        connection.fail(errorReply(400, 'Host header is missing'))
      else then(request, response, connection)
    })
  }
  on('request', handle)
  // Without this listener Node answers 100 to every `Expect`, also for a body that is then refused for its size.
  on('checkContinue', handle)
  on('checkExpectation', (_request, _response, connection) => connection.fail(errorReply(417, 'Expectation failed')))
  /** Whose connection it is, is asked of the system only where one client may have too many. */
  const isOneTooMany = ({ client }: Connection): boolean => {
    let count = 0
    for (const each of open.values()) if (each.client === client) count++
    return count > maxPerClient
  }
  server.on('connection', (socket) => {
    const connection = new Connection(socket)
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
    if (open.size > maxPerClient && isOneTooMany(connection)) socket.destroy()
  })
  // One timer looks at all connections. A timer for each socket would be set and cancelled with every request.
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
