/** Loads Fastify only after the gateway has started: loading takes a fifth of a start, and most requests do not need Fastify. */

import { createServer, type RequestListener, type Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { errorReply } from '../core/reply.ts'
import { type Repeating, repeat } from '../core/turns/repeat.ts'
import { writeReply } from './write-reply.ts'

const measureEveryMs = 1_000
/** A second is quiet when the event loop is busy for less than this part of it. */
const quietShare = 0.1

export interface LazyFastify {
  readonly handle: RequestListener
  /** Closes Fastify. Call it once the server is closed. */
  close(): Promise<void>
}

type Loaded = { readonly app: FastifyInstance; readonly handle: RequestListener }

/** The options of Fastify. `addTo` adds routes and error answers to it. */
export type LazyFastifyOptions = FastifyServerOptions & { readonly addTo: (app: FastifyInstance) => void }

/**
 * Prepares Fastify for a server that does not listen yet. Fastify is loaded for the first request that needs it, and otherwise at the end
 * of the first quiet second: in a busy second, loading would keep events waiting. The loading does not wait for such a request for ever,
 * because it would fail once an upgrade has replaced the program's files.
 */
export const createLazyFastify = (server: Server, clock: Clock, options: LazyFastifyOptions): LazyFastify => {
  let loading: Promise<Loaded> | undefined
  const load = (): Promise<Loaded> => {
    loading ??= start(options)
    return loading
  }
  server.once('listening', () => {
    let before = performance.eventLoopUtilization()
    const measuring: Repeating = repeat(clock, measureEveryMs, () => {
      const isQuiet = performance.eventLoopUtilization(before).utilization < quietShare
      before = performance.eventLoopUtilization()
      if (isQuiet) load().catch(() => {})
      if (loading) void measuring.stop()
    })
    server.once('close', measuring.stop)
  })
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
