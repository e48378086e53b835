/** Ends the work of a gateway that stops: requests get their answers, and runs finish. */

import { type Clock, pause } from '../core/clock.ts'
import type { Listener } from '../http/server.ts'
import type { Worker } from '../runs/worker.ts'

/**
 * Whether the gateway stops now, and how long its listener waits for connections to end by themselves, in milliseconds. `hasSuccessor`:
 * another process has the listening socket, so connections wait for the next gateway, which finds what this one accepts in the store.
 */
export type Stopping = { now: boolean; timeoutMs: number; hasSuccessor: boolean }

/** How long requests may still take when no further connection is accepted, because those that come then wait for the successor. */
const lastRequestsMs = 5_000

type End = (listener: Listener, worker: Worker, clock: Clock, ms: number) => Promise<void>

/** Answers the requests in progress and lets runs finish, for at most `ms` milliseconds. */
export const endAll: End = async (listener, worker, clock, ms) => {
  // Requests and the worker end at the same time: a slow sender must not use up the time of the runs, and no further run may begin
  // meanwhile.
  const answered = allAnswered(listener.active, clock, ms)
  await Promise.all([answered, worker.stop(ms, answered)])
}

/**
 * Lets runs finish for at most `ms` milliseconds. Until then requests are accepted, and the successor works on their runs. Afterwards new
 * connections wait for the successor, and the requests in progress get their answers.
 */
export const endForSuccessor: End = async (listener, worker, clock, ms) => {
  await worker.stop(ms, 'kept')
  listener.stopListening()
  await allAnswered(listener.active, clock, Math.min(ms, lastRequestsMs))
}

/**
 * Waits until all requests have their answers, for at most `ms` milliseconds. `active` returns the number of requests without an answer.
 */
const allAnswered = async (active: () => number, clock: Clock, ms: number): Promise<void> => {
  const deadline = clock.monotonic() + ms
  while (active() > 0 && clock.monotonic() < deadline) await pause(20, clock)
}
