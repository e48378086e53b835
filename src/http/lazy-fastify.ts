/** Fastify for a server that starts without it: loading it takes a fifth of a start, and most requests are not for it. */

import { createServer, type RequestListener, type Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { errorReply } from '../core/reply.ts'
import { writeReply } from './write-reply.ts'

const lookEveryMs = 1_000
/** The event loop is quiet when it works for less than this share of the time. */
const quiet = 0.1

export interface LazyFastify {
  /** Takes a request. The first ones wait until Fastify is loaded. */
  readonly handle: RequestListener
  /** To be called once the server is closed. */
  close(): Promise<void>
}

type Loaded = { readonly app: FastifyInstance; readonly handle: RequestListener }

/** What Fastify is made with. `addTo` adds routes and answers to it. */
export type LazyFastifyOptions = FastifyServerOptions & { readonly addTo: (app: FastifyInstance) => void }

/**
 * Makes the host of a server that does not listen yet. The first quiet second loads Fastify, where no request has: an upgrade may replace the
 * program's files while it runs, and a gateway must not stand still while events come.
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
    // The requests come from another server. This one never listens.
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
