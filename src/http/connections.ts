/** Watches all connections of a server, and passes on their requests and parser errors. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { header } from '../core/headers.ts'
import type { Reply } from '../core/outcome.ts'
import { errorReply } from '../core/reply.ts'
import type { Draining, Holding } from './close.ts'
import { Connection } from './connection.ts'

/** The most open connections of all clients together. */
export const maxConnections = 4_096
/** The most open connections of one client. A proxy counts as one client, so the limit is half of all. */
const maxPerClient = maxConnections / 2
/** How often stuck connections are ended. An answer that nobody reads waits at least this long, and at most twice as long. */
const stuckMs = 30_000

/** Takes one request, of any method and path. */
export type Handle = (request: IncomingMessage, response: ServerResponse, connection: Connection) => void

export interface Connections extends Draining, Holding {
  /** Answers a request that the parser could not read. */
  fail(error: { readonly code?: string }, socket: Socket): void
}

const ofSocket = Symbol('connection')
type Watched = Socket & { [ofSocket]?: Connection }
const connectionOf = (socket: Socket): Connection | undefined => (socket as Watched)[ofSocket]

/**
 * The open connections in no order, each with its index, so that it is removed in one step. A `Map` or `Set` would get a new table each
 * time that its table is full of removed entries. Where V8 has moved the old table among the old objects, the table keeps all sockets of
 * that moment alive until those are collected.
 */
class OpenConnections {
  readonly all: Connection[] = []

  add(socket: Socket): Connection {
    const connection = new Connection(socket, this.all.length)
    this.all.push(connection)
    ;(socket as Watched)[ofSocket] = connection
    socket.once('close', () => this.#remove(connection))
    return connection
  }

  #remove({ index }: Connection): void {
    const last = this.all.pop() as Connection
    if (index === this.all.length) return
    this.all[index] = last
    last.index = index
  }
}

/** Watches a server made with `requireHostHeader: false`. A missing Host header is answered here, in the shape of our other errors. */
export const watchConnections = (server: Server, clock: Clock, handle: Handle): Connections => {
  const open = new OpenConnections()
  /** The answers to requests that are held back; `undefined` while none are. Each connection has at most sixteen. */
  let heldAnswers: (() => void)[] | undefined
  const on = (event: 'request' | 'checkContinue' | 'checkExpectation', then: Handle): void => {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const connection = connectionOf(request.socket)
      if (!connection?.begin(request, response)) return
      if (header(request.headers, 'host') === undefined && request.httpVersion === '1.1')
        connection.fail(errorReply(400, 'Host header is missing'))
      else if (heldAnswers) heldAnswers.push(() => response.destroyed || then(request, response, connection))
      else then(request, response, connection)
    })
  }
  on('request', handle)
  // Without this listener Node answers 100 to every `Expect`, even where the body is then refused for its size.
  on('checkContinue', handle)
  on('checkExpectation', (_request, _response, connection) => connection.fail(errorReply(417, 'Expectation failed')))
  /** Asks the system for peer addresses only when one client may have too many connections. */
  const isOneTooMany = ({ client }: Connection): boolean => {
    let count = 0
    for (const each of open.all) if (each.client === client) count++
    return count > maxPerClient
  }
  server.on('connection', (socket) => {
    const connection = open.add(socket)
    if (open.all.length > maxPerClient && isOneTooMany(connection)) socket.destroy()
  })
  endStuck(server, open, clock)
  return {
    openConnections: () => open.all.length,
    endIdle() {
      for (const connection of open.all) connection.endIfIdle()
    },
    hold() {
      heldAnswers = []
    },
    release() {
      const waiting = heldAnswers ?? []
      heldAnswers = undefined
      for (const answer of waiting) answer()
    },
    fail: (error, socket) => connectionOf(socket)?.fail(replyToBroken(error.code)),
  }
}

/** Ends stuck connections. One timer serves all: a timer for each socket would be set and cancelled with every request. */
const endStuck = (server: Server, open: OpenConnections, clock: Clock): void => {
  let cancel = (): void => {}
  const look = (): void => {
    for (const connection of open.all) connection.endIfStuck()
    cancel = clock.after(stuckMs, look)
  }
  server.once('listening', () => {
    cancel = clock.after(stuckMs, look)
  })
  server.once('close', () => cancel())
}

const replyToBroken = (code: string | undefined): Reply => {
  if (code === 'HPE_HEADER_OVERFLOW') return errorReply(431, 'Header fields too large')
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? errorReply(408, 'Request timeout') : errorReply(400, 'Bad request')
}
