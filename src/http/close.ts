/** Closes a server without cutting off an answer. */

import type { Server } from 'node:http'
import type { LazyFastify } from './lazy-fastify.ts'

const lastWordsMs = 500

/** Requests that came while nothing is answered. */
export type Holding = {
  readonly hold: () => void
  /** Answers what came since `hold`. */
  readonly release: () => void
}

/**
 * Senders that wait for an answer open no further connection. So after this time those that the system has taken for the listener, which
 * its close resets, are accepted.
 */
const holdMs = 60

/** Ends idle connections at once, the others after their answers. With `requests`, nobody who posts just then is reset. */
export const closeServer = async (server: Server, host: LazyFastify, requests?: Holding): Promise<void> => {
  requests?.hold()
  if (requests) await new Promise((resolve) => setTimeout(resolve, holdMs))
  // Closing resets connections that were not accepted yet. setImmediate lets the loop accept them first.
  await new Promise((resolve) => setImmediate(resolve))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  requests?.release()
  const late = setTimeout(() => server.closeAllConnections(), lastWordsMs)
  await closed
  clearTimeout(late)
  await host.close()
}

/** How long a kept-alive connection may take for one more request, whose answer then closes it. */
const longestDrainMs = 1_000
const lookEveryMs = 20

/** A server that is stopping: each of its answers closes its connection. */
export type Draining = {
  readonly openConnections: () => number
  /** Half-closes idle connections, so that a late request is not met by a reset. */
  readonly endIdle: () => void
}

/** Waits until answers have closed all connections, for at most a second or `ms`, whichever is less. Then it ends the idle ones. */
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
