/** Shares each turn of the event loop out among bodies that come in many chunks, so that they keep nobody's small request waiting. */

/** What such bodies may bring in one turn before their connections wait. */
const maxBytesOfTurn = 262_144
/** So many of the connections that wait read on in each turn. Each brings at least what one read takes, 64 KiB. */
const readersOfTurn = 4

export interface Pace {
  /** Counts a chunk. `false`: its connection must wait; `goOn` is called when it is its turn. A body that has waited before goes first. */
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
      // Were all bodies read at the same pace, each would hold its memory until the last of them is whole.
      if (hasWaited) waiting.unshift(goOn)
      else waiting.push(goOn)
      return false
    },
  }
}
