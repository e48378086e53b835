/** Ends a server's connections: idle ones at once, the others when they have had their answer. */

import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'

const lastWordsMs = 500

export const closeServer = async (app: FastifyInstance, server: Server): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const late = setTimeout(() => server.closeAllConnections(), lastWordsMs)
  await closed
  clearTimeout(late)
  await app.close()
}
