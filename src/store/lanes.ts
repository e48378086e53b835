/**
 * Counts the open runs of each lane. A run is open from when its lane lets it in, so that a worker may take it, until it is done or dead.
 * While it waits for its next attempt it is open, too. When a run ends, the lane lets its next waiting run in. Only stores that belong to
 * one process use these counts.
 */

type Turns = {
  /** The number of open runs. */
  open: number
  /** How many runs may be open at once, by the last caller. A reload may change it. */
  limit: number
}

/** The lanes that have an open run. In a lane that has none, no run waits either. */
export class Lanes {
  readonly #beginNext: (lane: string, now: number) => boolean
  readonly #lanes = new Map<string, Turns>()

  /** `beginNext` begins the oldest run that waits in a lane. `false`: no run waits. */
  constructor(beginNext: (lane: string, now: number) => boolean) {
    this.#beginNext = beginNext
  }

  /** Whether any lane has an open run. */
  get areUsed(): boolean {
    return this.#lanes.size > 0
  }

  /** Begins waiting runs of a lane as far as `limit` allows. Returns whether one more run may begin after these. */
  hasRoom(lane: string, limit: number, now: number): boolean {
    const turns = this.#lanes.get(lane) ?? { open: 0, limit }
    turns.limit = limit
    this.#fill(lane, turns, now)
    return turns.open < Math.max(1, limit)
  }

  /** Begins one more run. `false`: the run has to wait. */
  enter(lane: string, limit: number, now: number): boolean {
    if (!this.hasRoom(lane, limit, now)) return false
    const turns = this.#lanes.get(lane)
    if (turns === undefined) this.#lanes.set(lane, { open: 1, limit })
    else turns.open++
    return true
  }

  /** Notes that a run of the lane has ended, and begins the next. */
  leave(lane: string, now: number): void {
    const turns = this.#lanes.get(lane)
    if (turns === undefined) return
    turns.open--
    this.#fill(lane, turns, now)
  }

  /** Begins waiting runs as far as the limit allows. `stored`: the counts of the store, for a lane that is not held here yet. */
  resume(lane: string, stored: Turns, now: number): void {
    this.#fill(lane, this.#lanes.get(lane) ?? stored, now)
  }

  #fill(lane: string, turns: Turns, now: number): void {
    while (turns.open < Math.max(1, turns.limit) && this.#beginNext(lane, now)) turns.open++
    if (turns.open > 0) this.#lanes.set(lane, turns)
    else this.#lanes.delete(lane)
  }
}
