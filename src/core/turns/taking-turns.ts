/** Lets long work give turns to the timers and sockets of the event loop. */

import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/**
 * Returns a function to await after each piece of work. It gives the loop a turn whenever a slice of time is used up. `most`: the most
 * pieces in a slice, however little time they take.
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
