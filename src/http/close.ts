/** Closes a server without cutting off an answer. */

import type { Server } from 'node:http'
import type { Host } from './host.ts'

const lastWordsMs = 500

/** Ends idle connections at once, the others after their answers. */
export const closeServer = async (server: Server, host: Host): Promise<void> => {
  // Closing resets connections that were not accepted yet. setImmediate lets the loop accept them first.
  await new Promise((resolve) => setImmediate(resolve))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
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
