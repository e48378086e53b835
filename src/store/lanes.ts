/** Counts the open runs of each lane. When a run ends, the next waiting run of its lane begins. */

type Turns = {
  /** Runs that have begun and not ended. */
  open: number
  /** The limit of the last caller. A reload may change it. */
  limit: number
}

/** Holds only lanes with an open run. No run waits in any other lane. */
export class Lanes {
  readonly #beginNext: (lane: string, now: number) => boolean
  readonly #lanes = new Map<string, Turns>()

  /** `beginNext` begins the oldest run that waits in a lane. `false`: no run waits. */
  constructor(beginNext: (lane: string, now: number) => boolean) {
    this.#beginNext = beginNext
  }

  /** Whether a run of any lane is open. */
  get areUsed(): boolean {
    return this.#lanes.size > 0
  }

  /** Begins waiting runs as far as this limit allows. Returns whether one more run may begin after them. */
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
