/** Lets long work give turns to the timers and sockets of the event loop. */

import { setImmediate } from 'node:timers/promises'
import { turnShares } from './turn-shares.ts'

export const nextTurn = (): Promise<void> => setImmediate()

/**
 * Returns a function to await after each piece of work. The function gives the loop a turn whenever its share is used up. `most`: the most
 * pieces between two turns, however little time they take.
 */
export const takingTurns = (most = Number.POSITIVE_INFINITY): (() => Promise<void>) => {
  let since = performance.now()
  let done = 0
  return async () => {
    if (++done < most && performance.now() - since < turnShares.longWork) return
    await nextTurn()
    since = performance.now()
    done = 0
  }
}
