/** Ends a server so that nobody who is being talked to is cut off. */

import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'

const lastWordsMs = 500

/** Ends idle connections at once, the others when they have had their answer. */
export const closeServer = async (app: FastifyInstance, server: Server): Promise<void> => {
  // Right after the loop took in what had connected: a connection that nobody took is reset.
  await new Promise((resolve) => setImmediate(resolve))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const late = setTimeout(() => server.closeAllConnections(), lastWordsMs)
  await closed
  clearTimeout(late)
  await app.close()
}

/** How long a kept connection may take for the request whose answer sends its sender away. */
const longestDrainMs = 1_000
const lookEveryMs = 20

/** What can be done with a server whose answers all say that they are the last of their connection. */
export type Draining = {
  readonly openConnections: () => number
  /** Half-closes what is idle, so that a late request meets no reset. */
  readonly endIdle: () => void
}

/** Waits for at most a second, and `ms`, until everybody was sent away by an answer; then closes what is idle. */
export const drain = async ({ openConnections, endIdle }: Draining, ms: number): Promise<void> => {
  const allGone = async (patienceMs: number): Promise<void> => {
    for (let waited = 0; openConnections() > 0 && waited < patienceMs; waited += lookEveryMs) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }
  await allGone(Math.min(ms, longestDrainMs))
  endIdle()
  await allGone(lastWordsMs)
}
