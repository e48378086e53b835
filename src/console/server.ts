/** The console's HTTP server: the pages, the sign-in, the questions that the pages ask, and the live traffic. */

import type { AddressInfo } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { barScreens, linkedScreens } from '../generated/console-screens.ts'
import { bindFault, connectionLimits } from '../http/server.ts'
import { boundConnections } from './access/connections.ts'
import { refused } from './access/gate.ts'
import { addQuestions, maxQuestionBytes, type QuestionOptions } from './ask.ts'
import { type Asset, pageName, readAssets } from './assets.ts'
import { addSignIn } from './sign-in.ts'

export type ConsoleServerOptions = QuestionOptions & { readonly host: string; readonly port: number }

export interface ConsoleServer {
  readonly port: number
  close(): Promise<void>
}

/** The most open connections: enough for forty browsers, each of which opens up to six. */
const maxConnections = 256

/**
 * The headers of every answer. With these headers the browser loads nothing from elsewhere, runs no text as a script, and puts the page
 * into no other page. The pages show texts of strangers as text nodes; the headers protect the user where a page fails to do so.
 */
const headers = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "require-trusted-types-for 'script'; trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Starts to listen. Throws a Fault where the pages were not built, and where the server cannot listen on host and port. */
export const listenForConsole = async (options: ConsoleServerOptions): Promise<ConsoleServer> => {
  const assets = readAssets()
  const { default: Fastify } = await import('fastify')
  const app = Fastify({
    logger: false,
    bodyLimit: maxQuestionBytes,
    requestTimeout: connectionLimits.requestTimeout,
    keepAliveTimeout: connectionLimits.keepAliveTimeout,
    forceCloseConnections: true,
    http: {
      headersTimeout: connectionLimits.headersTimeout,
      maxHeaderSize: connectionLimits.maxHeaderSize,
      // By default, Node searches for slow connections only every half minute. Strangers could occupy all connections for this time.
      connectionsCheckingInterval: connectionLimits.connectionsCheckingInterval,
    },
    // Called for a path with a broken percent escape, which reaches no hook.
    frameworkErrors: (_error, _request, reply) => void (reply as FastifyReply).code(400).headers(headers).send({ error: 'bad request' }),
  })
  const { access, host, port } = options
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers)
    return refused(reply, access.gate.refuseHost(request))
  })
  addPages(app, assets)
  addSignIn(app, access, options)
  addQuestions(app, options, boundConnections(app.server, maxConnections))
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw bindFault(error, { host, port }, 'choose another port with --port, or console.port and console.host in config.yaml')
  }
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

/**
 * Returns the `Cache-Control` of a file. A name with a hash of the content always stands for the same content, so a browser may keep such a
 * file.
 */
const cachingOf = (name: string): string => (/-[A-Z0-9]{8}\./.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache')

/** Adds the built files and the paths of the screens. Every path gives the same page, whose script shows the screen. */
const addPages = (app: FastifyInstance, assets: ReadonlyMap<string, Asset>): void => {
  const page = assets.get(pageName)
  for (const [name, { type, body }] of [...assets].filter(([name]) => name !== pageName))
    app.get(`/assets/${name}`, (_request, reply) => reply.type(type).header('cache-control', cachingOf(name)).send(body))
  for (const { path } of [...barScreens, ...linkedScreens])
    app.get(path, (_request, reply) =>
      reply
        .type(page?.type ?? 'text/plain')
        .header('cache-control', 'no-store')
        .send(page?.body),
    )
}
