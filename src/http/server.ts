/** The HTTP server. What routes take goes to the receiver, all other requests to Fastify, under the same limits. */

import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { codeOf, exit, Fault, messageOf } from '../core/fault.ts'
import type { Reply } from '../core/outcome.ts'
import { errorReply } from '../core/reply.ts'
import { handSocket, type SocketHandle } from '../node-internals/hand-socket.ts'
import { bodyOptions } from '../node-internals/received-request.ts'
import { closeServer, drain } from './close.ts'
import { type Handle, maxConnections, type RefusedUnread, watchConnections } from './connections.ts'
import { createLazyFastify } from './lazy-fastify.ts'
import { createReceiver, parsePath, type ReceiveOptions, type RequestReceiver } from './receive.ts'
import { addStatusAddresses } from './status/status-door.ts'
import type { CertificatesView, ServedCertificatesOptions } from './tls/served-certificates.ts'

/**
 * Returns the Fault of a server that cannot listen. `setting`: what the operator does to choose another port, such as `choose another port
 * with --port`.
 */
export const bindFault = (error: unknown, { host, port }: { readonly host: string; readonly port: number }, setting: string): Fault => {
  const isTaken = codeOf(error) === 'EADDRINUSE'
  const hint = isTaken ? `another program listens there: stop it, or ${setting}` : 'check host and port'
  return new Fault('cannot_listen', `cannot listen on ${host}:${port}: ${messageOf(error)}`, { exitCode: exit.no, hint, cause: error })
}

/**
 * Limits against slow headers, slow bodies and idle connections, in milliseconds and bytes (rules: Limits 4). Node's own limits for a
 * request (`headersTimeout`, `requestTimeout`) are looser.
 */
export const connectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  /** The longest TLS handshake. Node's own limit is two minutes. */
  handshakeTimeout: 10_000,
  maxHeaderSize: 16_384,
}

/**
 * The most bytes of a body that wait for their reader before Node stops reading the socket: as many as one read brings. With Node 20's own
 * limit of 16 KiB, each larger body stops its socket and starts it again, which costs two system calls. The option limits unsent answers
 * too, but a connection has few of them (connection.ts).
 */
const highWaterMark = 65_536

export interface Listener {
  /** Where the server listens: scheme, host and port. */
  readonly url: string
  readonly active: () => number
  readonly connections: () => number
  readonly refusedUnread: RefusedUnread
  /** The bytes of unfinished bodies in memory. */
  readonly bodyBytes: () => number
  /** Hands the listening socket to the process that waits at a path, too. */
  readonly handOver: (path: string) => Promise<void>
  /**
   * Accepts no further connection. Where another process has the listening socket, further connections wait in the system's queue until
   * that process accepts them.
   */
  readonly stopListening: () => void
  /** Returns what the status says of the certificates; nothing where the server speaks plain HTTP. */
  readonly certificates: () => CertificatesView
  /** Waits for at most `ms` milliseconds until answers have closed the connections, then closes the server. */
  close(ms: number): Promise<void>
}

export type OpenOptions = {
  readonly host: string
  readonly port: number
  readonly clock: Clock
  /** The socket to listen on, which is open already, with `host` and `port` as its address. Absent: one is opened. */
  readonly socket?: SocketHandle | undefined
  /** Present where the server speaks TLS. */
  readonly tls?: Omit<ServedCertificatesOptions, 'clock'> | undefined
  /** Shorter limits, for tests. */
  readonly limits?: typeof connectionLimits
}

export type ServerOptions = ReceiveOptions &
  OpenOptions & {
    /** Whether a load balancer should send requests to this gateway, as `/readyz` says. */
    readonly isReady: () => boolean
    /** Answers the holders of status addresses. Absent: there are none. */
    readonly status?: (token: string) => Promise<Reply>
  }

/** What answers the requests of a server. `close` is called once the server is closed. */
export type Answering = Pick<RequestReceiver, 'active' | 'bodyBytes'> & { readonly handle: Handle; close(): Promise<void> }

/** Makes the server of a gateway and starts to listen. Throws a Fault when the server cannot listen on host and port. */
export const listen = (options: ServerOptions): Promise<Listener> =>
  openServer(options, (server) => {
    const receiver = createReceiver(options)
    const host = createLazyFastify(server, options.clock, {
      logger: false,
      // Called for a path with a broken percent escape, which reaches no route of Fastify and no other handler.
      frameworkErrors: (_error, request, reply) => void replyToUnknown(request, reply, errorReply(400, 'Bad request')),
      addTo: (app) => addRoutes(app, options),
    })
    return {
      handle: routeRequests(receiver, host.handle),
      get active() {
        return receiver.active
      },
      get bodyBytes() {
        return receiver.bodyBytes
      },
      close: host.close,
    }
  })

/**
 * Makes a server within the limits of this file and starts to listen. `answer` is called once, before the server listens. Throws a Fault
 * when the server cannot listen on host and port.
 */
export const openServer = async (options: OpenOptions, answer: (server: Server) => Answering): Promise<Listener> => {
  const limits = options.limits ?? connectionLimits
  const serverOptions = { ...limits, ...bodyOptions, highWaterMark, requireHostHeader: false }
  // Without `tls`, no code for TLS is loaded.
  const tls = options.tls && (await import('./tls/tls-server.ts')).createTlsServer(serverOptions, { ...options.tls, clock: options.clock })
  const server: Server = tls?.server ?? createServer(serverOptions)
  const answering = answer(server)
  Object.assign(server, { maxConnections, maxHeadersCount: 0 })
  const connections = watchConnections(server, options.clock, answering.handle, tls?.handshakes)
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => connections.fail(error, socket as Socket))
  await listenOn(server, options)
  const { address, family, port } = server.address() as AddressInfo
  const shown = options.host === 'localhost' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return {
    url: `${tls ? 'https' : 'http'}://${shown}:${port}`,
    active: () => answering.active,
    connections: connections.openConnections,
    refusedUnread: connections.refusedUnread,
    bodyBytes: () => answering.bodyBytes,
    handOver: (path) => handSocket(server, path),
    // The method of HTTP servers would also cut idle connections off, on which a request may be under way.
    stopListening: () => void NetServer.prototype.close.call(server),
    certificates: () => tls?.certificates.view() ?? {},
    async close(ms) {
      await drain(connections, ms)
      await closeServer(server, answering, connections)
    },
  }
}

/** Whether a route may take a request that is no POST. No such request is for a route whose plan cannot be made. */
const mayTake = (receiver: RequestReceiver, method: string, path: Parameters<RequestReceiver['mayTake']>[1]): boolean => {
  try {
    return receiver.mayTake(method, path)
  } catch {
    return false
  }
}

/**
 * Makes the handler of all requests. It passes what a route may take straight to the receiver: Fastify's router and reply
 * take a tenth of the time of a request. Fastify (`handler`) gets all other requests.
 */
const routeRequests = (receiver: RequestReceiver, handler: RequestListener): Handle => {
  return (request, response, connection) => {
    const { method = '', url = '' } = request
    const path = parsePath(url)
    if (path && (method === 'POST' || mayTake(receiver, method, path))) return receiver.receive(request, response, path, connection)
    // Fastify's routes read no body, so the answer to a request with a large body ends its connection.
    if (connection.hasLargeRest) connection.closeAfter(response)
    handler(request, response)
  }
}

/** Answers a request that matches no route of Fastify: 405 on a webhook path, else `other`. */
const replyToUnknown = (request: FastifyRequest, reply: FastifyReply, other: Reply): FastifyReply => {
  const known = parsePath(request.raw.url ?? '') !== undefined
  const { status, body, type, headers } = known ? errorReply(405, 'Method not allowed', { Allow: 'POST' }) : other
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': type })
    .send(body)
}

/** Adds `/health`, `/livez`, `/readyz`, the status addresses, and the answers to all other requests. */
const addRoutes = (app: FastifyInstance, { isReady, status }: ServerOptions): void => {
  app.removeAllContentTypeParsers()
  // Only webhook paths take a body, so this parser does not read any other body.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.get('/health', async () => ({ status: 'ok', platform: 'webhook' }))
  app.get('/livez', async () => ({ status: 'live' }))
  // The answer gives no reason why the gateway is not ready, because anybody may ask. The log has the reason.
  app.get('/readyz', (_request, reply) => {
    const ready = isReady()
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
  })
  if (status) addStatusAddresses(app, status)
  app.setNotFoundHandler((request, reply) => replyToUnknown(request, reply, errorReply(404, 'Not found')))
  app.setErrorHandler((error, _request, reply) => {
    const { statusCode } = error as { statusCode?: number }
    const { status, body, type } =
      statusCode !== undefined && statusCode < 500 ? errorReply(statusCode, 'Bad request') : errorReply(500, 'Internal error')
    return reply.code(status).header('content-type', type).send(body)
  })
}

/** The most connections that wait for their acceptance on a socket that was open already: those of a restart wait there. */
const backlog = 4_096

const listenOn = (server: Server, { host, port, socket }: OpenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(bindFault(error, { host, port }, 'choose another port with --port')))
    if (socket) server.listen(socket, backlog, resolve)
    else server.listen(port, host, resolve)
  })
