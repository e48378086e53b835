/** Shares each turn of the event loop among bodies of many chunks, so that small requests do not wait for them. */

/** The most bytes of such bodies that are read in a turn. Past it, their connections must pause. */
const maxBytesOfTurn = 262_144
/** The number of paused connections that go on in each turn. Each brings up to 64 KiB with its first read. */
const readersOfTurn = 4

export interface Pace {
  /**
   * Counts the bytes of a chunk. `false`: the connection that brought the chunk must pause until `goOn` is called. A body whose connection
   * has paused before (`hasWaited`) goes on first.
   */
  take(bytes: number, goOn: () => void, hasWaited: boolean): boolean
}

export const createPace = (): Pace => {
  const waiting: (() => void)[] = []
  let taken = 0
  let isDue = false
  const turn = (): void => {
    taken = 0
    isDue = waiting.length > readersOfTurn
    if (isDue) setImmediate(turn)
    for (const goOn of waiting.splice(0, readersOfTurn)) goOn()
  }
  return {
    take(bytes, goOn, hasWaited) {
      taken += bytes
      if (!isDue) setImmediate(turn)
      isDue = true
      if (taken <= maxBytesOfTurn) return true
      // If all bodies were read at the same pace, each would hold its memory until the last of them is whole.
      if (hasWaited) waiting.unshift(goOn)
      else waiting.push(goOn)
      return false
    },
  }
}
