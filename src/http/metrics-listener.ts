/** The listener for metrics and probes: an HTTP server of its own, apart from the server that senders reach. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSameSecret } from '../secrets/same-secret.ts'
import { bindFault, connectionLimits } from './server.ts'

type Page = { readonly type: string; readonly text: string }

export type MetricsListenerOptions = {
  readonly host: string
  readonly port: number
  /** The bearer token that every request must show. Absent: requests need no token. */
  readonly token?: string | undefined
  readonly render: (isOpenMetrics: boolean) => Promise<Page>
  /** Returns why the gateway should get no requests; `undefined` where it should get them. */
  readonly notReady: () => string | undefined
}

export interface MetricsListener {
  readonly url: string
  close(): Promise<void>
}

/** The most open connections: a few scrapers and probes. */
const maxConnections = 64

/** Starts to listen. Throws a Fault when the server cannot listen on host and port. */
export const listenForMetrics = async (options: MetricsListenerOptions): Promise<MetricsListener> => {
  const { default: Fastify } = await import('fastify')
  const app = Fastify({
    logger: false,
    bodyLimit: 1,
    requestTimeout: connectionLimits.requestTimeout,
    keepAliveTimeout: connectionLimits.keepAliveTimeout,
    forceCloseConnections: true,
    http: { headersTimeout: connectionLimits.headersTimeout, maxHeaderSize: connectionLimits.maxHeaderSize },
  })
  addRoutes(app, options)
  app.server.maxConnections = maxConnections
  try {
    const url = await app.listen({ host: options.host, port: options.port })
    return { url, close: () => app.close() }
  } catch (error) {
    await app.close()
    throw bindFault(error, options, 'set metrics.port')
  }
}

const addRoutes = (app: FastifyInstance, { token, render, notReady }: MetricsListenerOptions): void => {
  app.addHook('onRequest', async (request, reply) => {
    if (token !== undefined && !showsToken(request, token))
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'a bearer token is needed: metrics.token' })
  })
  app.get('/metrics', createScrape(render))
  app.get('/livez', async () => ({ status: 'live' }))
  app.get('/readyz', (_request, reply) => {
    const reason = notReady()
    return reply.code(reason === undefined ? 200 : 503).send(reason === undefined ? { status: 'ready' } : { status: 'not ready', reason })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'Not found: /metrics, /livez and /readyz are served here' }))
}

/**
 * Makes the handler of scrapes. Scrapes that come while a page is rendered get this page, so that many scrapes at once cost one rendering.
 */
const createScrape = (render: MetricsListenerOptions['render']) => {
  const rendering = new Map<boolean, Promise<Page>>()
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isOpenMetrics = prefersOpenMetrics(request.headers.accept ?? '')
    const page = rendering.get(isOpenMetrics) ?? render(isOpenMetrics).finally(() => rendering.delete(isOpenMetrics))
    rendering.set(isOpenMetrics, page)
    const { type, text } = await page
    return reply.header('content-type', type).send(text)
  }
}

/** Whether a scraper would rather have OpenMetrics than plain text (RFC 9110, 12.5.1). */
const prefersOpenMetrics = (accept: string): boolean => {
  const wanted = qualityOf(accept, 'application/openmetrics-text')
  return wanted > 0 && wanted >= qualityOf(accept, 'text/plain')
}

/** Returns the greatest `q` of a type in the header `Accept`; 0 where the type is not named. */
const qualityOf = (accept: string, type: string): number => {
  const qualities = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([named]) => named === type)
    .map(([, ...parameters]) => Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1))
  return Math.max(0, ...qualities.filter((quality) => quality <= 1))
}

const showsToken = (request: FastifyRequest, token: string): boolean => {
  const [, shown = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  return isSameSecret(shown, token)
}
