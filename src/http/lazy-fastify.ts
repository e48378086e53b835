/** Fastify, loaded after the start: loading takes a fifth of a start, and most requests do not need it. */

import { createServer, type RequestListener, type Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { errorReply } from '../core/reply.ts'
import { writeReply } from './write-reply.ts'

const lookEveryMs = 1_000
/** The event loop is quiet when it is busy for less than this share of the time. */
const quiet = 0.1

export interface LazyFastify {
  /** Takes a request. Requests wait until Fastify is loaded. */
  readonly handle: RequestListener
  /** Closes Fastify. Call it once the server is closed. */
  close(): Promise<void>
}

type Loaded = { readonly app: FastifyInstance; readonly handle: RequestListener }

/** The options of Fastify. `addTo` adds routes and error answers to it. */
export type LazyFastifyOptions = FastifyServerOptions & { readonly addTo: (app: FastifyInstance) => void }

/**
 * Prepares Fastify for a server that does not listen yet. Fastify is loaded by the first request that needs it, or else in the first quiet
 * second. It must not stay unloaded, because an upgrade may replace the program's files, and it is not loaded in a busy second, because
 * events would wait.
 */
export const createLazyFastify = (server: Server, clock: Clock, options: LazyFastifyOptions): LazyFastify => {
  let loading: Promise<Loaded> | undefined
  const load = (): Promise<Loaded> => {
    loading ??= start(options)
    return loading
  }
  let cancel = (): void => {}
  const lookLater = (): void => {
    const before = performance.eventLoopUtilization()
    cancel = clock.after(lookEveryMs, () => {
      if (loading) return
      if (performance.eventLoopUtilization(before).utilization < quiet) void load().catch(() => {})
      else lookLater()
    })
  }
  server.once('listening', lookLater)
  server.once('close', () => cancel())
  return {
    handle: (request, response) =>
      void load().then(
        ({ handle }) => handle(request, response),
        () => writeReply(response, errorReply(500, 'Internal error')),
      ),
    close: async () => loading?.then(({ app }) => app.close()).catch(() => {}),
  }
}

const start = async ({ addTo, ...options }: LazyFastifyOptions): Promise<Loaded> => {
  const { default: Fastify } = await import('fastify')
  let handle: RequestListener | undefined
  const app = Fastify({
    ...options,
    // Requests come from our own server. Fastify's server never listens.
    serverFactory: (handler) => {
      handle = handler
      return createServer()
    },
  })
  addTo(app)
  await app.ready()
  if (!handle) throw new Error('Fastify made no server')
  return { app, handle }
}
