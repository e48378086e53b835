/** Closes a server without cutting off an answer. */

import type { Server } from 'node:http'
import type { LazyFastify } from './lazy-fastify.ts'

const lastWordsMs = 500

/** Holds back the requests that come while the server closes. */
export type Holding = {
  readonly hold: () => void
  /** Answers the requests that came since `hold`. */
  readonly release: () => void
}

/**
 * How long requests are held. A connection that the system has taken but the server has not yet accepted would be reset by the close, so
 * the server accepts such connections first. Senders that wait for an answer open no further connections meanwhile.
 */
const holdMs = 60

/**
 * Ends idle connections at once, and each other connection after its answer. With `requests`, no sender that posts at this moment is reset.
 */
export const closeServer = async (server: Server, host: LazyFastify, requests?: Holding): Promise<void> => {
  requests?.hold()
  if (requests) await new Promise((resolve) => setTimeout(resolve, holdMs))
  // Closing resets connections that are not accepted yet. setImmediate lets the loop accept them first.
  await new Promise((resolve) => setImmediate(resolve))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  requests?.release()
  const late = setTimeout(() => server.closeAllConnections(), lastWordsMs)
  await closed
  clearTimeout(late)
  await host.close()
}

/** The longest wait for one more request on each kept-alive connection. The answer to that request closes the connection. */
const longestDrainMs = 1_000
const lookEveryMs = 20

/** A server that is stopping: each of its answers closes its connection. */
export type Draining = {
  readonly openConnections: () => number
  /** Half-closes idle connections, so that a late request does not meet a reset. */
  readonly endIdle: () => void
}

/** Waits until answers have closed all connections, for at most a second or `ms`, whichever is less. Then it ends idle connections. */
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
