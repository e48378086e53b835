/** Shares the event loop among bodies of many chunks, so that small requests do not wait for them. */

/** The most bytes of such bodies that are read in a turn, as many as one read brings. Past it, their connections must pause. */
const maxBytesOfTurn = 65_536

export interface Pace {
  /**
   * Counts the bytes of a chunk. `false`: the connection that brought the chunk must pause until `resume` is called. A body whose
   * connection has paused before (`hasWaited`) goes on first.
   */
  take(bytes: number, resume: () => void, hasWaited: boolean): boolean
}

/** Calls the function when the next turn begins. */
export type NextTurn = (turn: () => void) => void

/** Every turn of the event loop is one turn. */
export const eachTurn: NextTurn = (turn) => void setImmediate(turn)

const slowTurnMs = 2

/**
 * At most 32 MiB a second. It is the pace of all clients together whose signatures fail: each megabyte that they send brings the next garbage
 * collection nearer, which delays all requests.
 */
export const slowTurn: NextTurn = (turn) => void setTimeout(turn, slowTurnMs)

/** One paused connection goes on in each turn. */
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
      if (taken <= maxBytesOfTurn) return true
      // If all bodies were read at the same pace, each would hold its memory until the last of them is whole.
      if (hasWaited) waiting.unshift(resume)
      else waiting.push(resume)
      return false
    },
  }
}
