/**
 * Closes an HTTP server without cutting off an answer that comes in time, in two steps: `drain` while requests still come, then
 * `closeServer`.
 */

import type { Server } from 'node:http'
import { pause, systemClock } from '../core/clock.ts'
import { nextTurn } from '../core/turns/taking-turns.ts'
import type { LazyFastify } from './lazy-fastify.ts'

/** How long open connections may take to write their last answers and to end. */
const lastAnswersMs = 500

/** Holds back the answers to requests that come while the server closes. */
export type Holding = {
  /** From now on, the server reads requests and answers none of them. */
  readonly hold: () => void
  /** Answers the requests that came since `hold`, and each later request at once. */
  readonly release: () => void
  /** Breaks off the connections whose TLS handshake is not over. */
  readonly endHandshakes: () => void
}

/**
 * How long requests are held back. Closing the server would reset a connection that the system has taken but the server has not yet
 * accepted, so the server accepts such connections first. A sender that waits for an answer opens no further connection in this time.
 */
const holdMs = 60

/**
 * Stops listening, ends idle connections at once and each other connection after its answer or half a second, and closes what answered its
 * requests (`host`). With `requests`, the answers are held back for a moment before the close, so that the connection of a sender that
 * posts just then is not reset.
 */
export const closeServer = async (server: Server, host: Pick<LazyFastify, 'close'>, requests?: Holding): Promise<void> => {
  requests?.hold()
  if (requests) await pause(holdMs, systemClock)
  // Closing the server resets connections that it has not accepted yet. One turn of the event loop lets it accept them first.
  await nextTurn()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  requests?.release()
  const cancel = systemClock.after(lastAnswersMs, () => {
    server.closeAllConnections()
    requests?.endHandshakes()
  })
  await closed
  cancel()
  await host.close()
}

/** The longest wait for kept-alive connections to bring one more request each. The answer to that request closes its connection. */
const longestDrainMs = 1_000
const countEveryMs = 20

/** The connections of a server that is stopping: each answer now closes its connection. */
export type Draining = {
  readonly openConnections: () => number
  /**
   * Half-closes idle connections, so that a late request does not meet a reset. A connection that has brought no request yet is spared
   * once.
   */
  readonly endIdle: () => void
}

/**
 * Waits until answers have closed all connections, for at most a second or `ms` milliseconds, whichever is less. Then it half-closes idle
 * connections, and waits up to half a second for their end. A connection that opens in that half second is left to `closeServer`.
 */
export const drain = async ({ openConnections, endIdle }: Draining, ms: number): Promise<void> => {
  const allGone = async (timeoutMs: number): Promise<void> => {
    for (let waited = 0; openConnections() > 0 && waited < timeoutMs; waited += countEveryMs) {
      await pause(countEveryMs, systemClock)
    }
  }
  await allGone(Math.min(ms, longestDrainMs))
  endIdle()
  await allGone(lastAnswersMs)
  endIdle()
}
