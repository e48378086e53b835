/** Shares the event loop among bodies of several chunks, so that small requests do not wait for large bodies. */

import { systemClock } from '../core/clock.ts'
import { turnShares } from '../core/turns/turn-shares.ts'

export interface Pace {
  /**
   * Counts the bytes of a chunk. `false`: the connection that brought the chunk must pause until `resume` is called. A body whose
   * connection has paused before (`hasWaited`) goes on first.
   */
  take(bytes: number, resume: () => void, hasWaited: boolean): boolean
}

/** Calls `turn` when the next turn begins. A turn of a pace is a turn of the event loop (`eachTurn`), or longer (`slowTurn`). */
export type NextTurn = (turn: () => void) => void

/** Begins a turn of the pace with each turn of the event loop. */
export const eachTurn: NextTurn = (turn) => void setImmediate(turn)

const slowTurnMs = 2

/**
 * Begins a turn of the pace every two milliseconds, so that about 33 MB a second are read. All clients whose signatures failed share this
 * pace: each megabyte that is read brings the next garbage collection nearer, and a collection delays all requests.
 */
export const slowTurn: NextTurn = (turn) => void systemClock.after(slowTurnMs, turn)

/** Makes a pace. At the beginning of each turn, one paused connection resumes. */
export const createPace = (nextTurn: NextTurn): Pace => {
  const waiting: (() => void)[] = []
  let taken = 0
  let isDue = false
  const turn = (): void => {
    taken = 0
    const resume = waiting.shift()
    isDue = waiting.length > 0
    if (isDue) nextTurn(turn)
    resume?.()
  }
  return {
    take(bytes, resume, hasWaited) {
      taken += bytes
      if (!isDue) nextTurn(turn)
      isDue = true
      // A connection that brings more in this turn must pause.
      if (taken <= turnShares.bodyBytes) return true
      // A body that has been read in part goes first: if all bodies advanced together, each would keep its memory until all are whole.
      if (hasWaited) waiting.unshift(resume)
      else waiting.push(resume)
      return false
    },
  }
}
