/** Lets long work give the event loop to others now and then: to timers and sockets. */

import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/**
 * A function to wait for after each piece of the work: it gives the loop a turn whenever a slice of time is used up.
 * `most`: the pieces of one slice at most, however little time they take.
 */
export const takingTurns = (most = Number.POSITIVE_INFINITY): (() => Promise<void>) => {
  let since = performance.now()
  let done = 0
  return async () => {
    if (++done < most && performance.now() - since < sliceMs) return
    await setImmediate()
    since = performance.now()
    done = 0
  }
}
