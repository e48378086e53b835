/** Lets long work give the event loop to others now and then: to timers and sockets. */

import { setImmediate } from 'node:timers/promises'

const sliceMs = 10

/** A function to wait for after each piece of the work: it gives the loop a turn whenever a slice of time is used up. */
export const takingTurns = (): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await setImmediate()
    since = performance.now()
  }
}
