/**
 * Watches all connections of a server: bounds their number, ends stuck connections, answers requests that are refused unread, and passes
 * all others on to one handler.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../core/clock.ts'
import type { Reply } from '../core/outcome.ts'
import { errorReply } from '../core/reply.ts'
import { repeat } from '../core/turns/repeat.ts'
import type { Draining, Holding } from './close.ts'
import { ClientConnection } from './connection.ts'
import type { TlsHandshakes } from './tls/handshakes.ts'

/** The most open connections of all clients together. */
export const maxConnections = 4_096
/** The most open connections of one client. A proxy counts as one client, so this limit is as high as half of all connections. */
const maxPerClient = maxConnections / 2
/** The time between two checks for stuck connections, in milliseconds. An answer that nobody reads waits for one to two such times. */
const stuckMs = 30_000

/** Takes one request, of any method and path. */
export type Handle = (request: IncomingMessage, response: ServerResponse, connection: ClientConnection) => void

/** What the server needs of its connections: their number, their end when the server stops, and answers to parser errors. */
export interface Connections extends Draining, Holding {
  /** Answers a request that is malformed, too late or broken off. `error` is the error of the server's `clientError` event. */
  fail(error: { readonly code?: string }, socket: Socket): void
  readonly refusedUnread: RefusedUnread
}

/** How much was refused before a request was read. */
export type RefusedUnread = {
  /** The connections that were closed at once, because too many were open. */
  readonly connections: number
  /** The requests that were answered without being read, by the status of the answer. */
  readonly requests: ReadonlyMap<number, number>
  readonly handshakes: number
}

/** The property of a socket that has its connection. */
const connectionKey = Symbol('connection')
type WatchedSocket = Socket & { [connectionKey]?: ClientConnection }
const connectionOf = (socket: Socket): ClientConnection | undefined => (socket as WatchedSocket)[connectionKey]

/**
 * The open connections in an array without order. Each connection has its index in the array, so that removing it takes one step. A `Map`
 * or `Set` is no choice: V8 gives it a new table whenever the old table is full of removed entries. An old table that was moved to V8's
 * old space keeps all sockets that it lists in memory until the next full garbage collection.
 */
class OpenConnections {
  readonly all: ClientConnection[] = []

  add(socket: Socket): ClientConnection {
    const connection = new ClientConnection(socket, this.all.length)
    this.all.push(connection)
    ;(socket as WatchedSocket)[connectionKey] = connection
    socket.once('close', () => this.#remove(connection))
    return connection
  }

  #remove({ index }: ClientConnection): void {
    const last = this.all.pop() as ClientConnection
    if (index === this.all.length) return
    this.all[index] = last
    last.index = index
  }
}

/**
 * Watches the connections of a server, and calls `handle` with each request that is not answered here. The server must be made with
 * `requireHostHeader: false`: this function answers a missing or repeated Host header itself, in the shape of the gateway's other errors.
 * `handshakes`: the TLS handshakes of the server; absent where the server speaks plain HTTP.
 */
export const watchConnections = (server: Server, clock: Clock, handle: Handle, handshakes?: TlsHandshakes): Connections => {
  const open = new OpenConnections()
  /**
   * Functions that answer the requests held back since `hold`, at most sixteen for each connection; `undefined` while no request is held
   * back.
   */
  let heldAnswers: (() => void)[] | undefined
  const refusedUnread = { connections: 0, requests: new Map<number, number>(), handshakes: 0 }
  const refuseUnread = (connection: ClientConnection, reply: Reply): void => {
    refusedUnread.requests.set(reply.status, (refusedUnread.requests.get(reply.status) ?? 0) + 1)
    connection.fail(reply)
  }
  /** Passes the requests of a server event to `then`, at once or when `release` is called. */
  const on = (event: 'request' | 'checkContinue' | 'checkExpectation', then: Handle): void => {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const connection = connectionOf(request.socket)
      if (!connection?.begin(request, response)) return
      const why = whyRefused(request)
      if (why !== undefined) return refuseUnread(connection, errorReply(400, why))
      if (hasVainBody(request)) connection.closeAfter(response)
      if (heldAnswers) heldAnswers.push(() => response.destroyed || then(request, response, connection))
      else then(request, response, connection)
    })
  }
  on('request', handle)
  // Without this listener Node answers every `Expect: 100-continue` with 100, even where the body is then refused for its size.
  on('checkContinue', handle)
  on('checkExpectation', (_request, _response, connection) => refuseUnread(connection, errorReply(417, 'Expectation failed')))
  watchOpening(server, open, handshakes, () => refusedUnread.connections++)
  // Past `maxConnections` the server closes a connection by itself.
  server.on('drop', () => refusedUnread.connections++)
  endStuck(server, open, clock)
  return {
    openConnections: () => open.all.length + (handshakes?.size ?? 0),
    endIdle() {
      for (const connection of open.all) connection.endIfIdle()
      handshakes?.destroyAll()
    },
    endHandshakes: () => handshakes?.destroyAll(),
    hold() {
      heldAnswers = []
    },
    release() {
      const waiting = heldAnswers ?? []
      heldAnswers = undefined
      for (const answer of waiting) answer()
    },
    fail({ code }, socket) {
      const connection = connectionOf(socket)
      // A handshake failed: there is nobody who could read an answer.
      if (!connection) {
        refusedUnread.handshakes++
        return void socket.destroy()
      }
      const reply = replyToBroken(code)
      // With any other code, such as ECONNRESET, the connection broke off. There may have been no request to refuse.
      if (code?.startsWith('HPE_') || code === timeoutCode) refuseUnread(connection, reply)
      else connection.fail(reply)
    },
    refusedUnread,
  }
}

/** Matches names that another program may take for `Content-Length` or `Transfer-Encoding`. */
const mimicsFraming = /^(?:content(?!-l)[-_]+length|transfer(?!-e)[-_]+encoding)$/i

/**
 * Returns why a request is refused for the names of its headers; `undefined` where it is not. Of two lines with `Host` (RFC 9112, 3.2) Node
 * drops the second, and a proxy before it may have gone by that one. By a name that only looks like that of a header of the length, a proxy
 * may have ended the request elsewhere.
 */
const whyRefused = ({ rawHeaders, httpVersion }: IncomingMessage): string | undefined => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    if (name.length >= 14 && mimicsFraming.test(name)) return 'A header only looks like Content-Length or Transfer-Encoding'
  }
  if (hosts > 1) return 'Host header is repeated'
  return hosts === 0 && httpVersion === '1.1' ? 'Host header is missing' : undefined
}

/**
 * Whether a request has a body where none means anything (RFC 9110, 9.3). A proxy may not count its bytes, and take them for another
 * request.
 */
const hasVainBody = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

/** Takes new connections into the list, and closes those of a client that has too many. `refused` is called for each of these. */
const watchOpening = (server: Server, open: OpenConnections, handshakes: TlsHandshakes | undefined, refused: () => void): void => {
  /** The check is slow, because it looks up all peer addresses. */
  const limit = (socket: Socket, client: () => string): void => {
    let count = handshakes?.size ?? 0
    // With no more than `maxPerClient` connections in all, no client can have too many.
    if (open.all.length + count <= maxPerClient) return
    count = handshakes?.countOf(client()) ?? 0
    for (const each of open.all) if (each.client === client()) count++
    if (count <= maxPerClient) return
    refused()
    socket.destroy()
  }
  server.on('connection', (socket) => {
    if (handshakes) {
      const client = handshakes.begin(socket)
      limit(socket, () => client)
    } else {
      const connection = open.add(socket)
      limit(socket, () => connection.client)
    }
  })
  server.on('secureConnection', (socket) => {
    handshakes?.end(socket)
    open.add(socket)
  })
}

/** Ends stuck connections. One timer serves all: a timer for each socket would be set and cancelled with every request. */
const endStuck = (server: Server, open: OpenConnections, clock: Clock): void => {
  server.once('listening', () => {
    const looking = repeat(clock, stuckMs, () => {
      for (const connection of open.all) connection.endIfStuck()
    })
    server.once('close', looking.stop)
  })
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Returns the answer to a request that Node's parser gave up with this error code. */
const replyToBroken = (code: string | undefined): Reply => {
  if (code === 'HPE_HEADER_OVERFLOW') return errorReply(431, 'Header fields too large')
  return code === timeoutCode ? errorReply(408, 'Request timeout') : errorReply(400, 'Bad request')
}
