/**
 * Counts the open runs of each lane. A run is open from when its lane lets it in, so that a worker may take it, until it is done or dead. A
 * run that waits for its next attempt is open, too. When a run ends, the lane lets its next waiting run in. Only stores that belong to one
 * process use these counts.
 */

type LaneCount = {
  open: number
  /** How many runs may be open at once. The last caller gave this limit, because a reload may change it. */
  limit: number
}

/** The lanes that have an open run. In a lane that has none, no run waits either. */
export class Lanes {
  readonly #beginNext: (lane: string, now: number) => boolean
  readonly #lanes = new Map<string, LaneCount>()

  /** `beginNext` begins the oldest run that waits in a lane. `false`: no run has begun. */
  constructor(beginNext: (lane: string, now: number) => boolean) {
    this.#beginNext = beginNext
  }

  get areUsed(): boolean {
    return this.#lanes.size > 0
  }

  /** Begins waiting runs of a lane as far as `limit` allows. Returns whether one more run may begin after these. */
  hasRoom(lane: string, limit: number, now: number): boolean {
    const count = this.#lanes.get(lane) ?? { open: 0, limit }
    count.limit = limit
    this.#fill(lane, count, now)
    return count.open < Math.max(1, limit)
  }

  /** Returns how many runs of a lane are open, and how many runs of the lane may be open at once. */
  count(lane: string): LaneCount {
    return { ...(this.#lanes.get(lane) ?? { open: 0, limit: 1 }) }
  }

  /** Counts one more run as open. `false`: the run has to wait. */
  enter(lane: string, limit: number, now: number): boolean {
    if (!this.hasRoom(lane, limit, now)) return false
    const count = this.#lanes.get(lane)
    if (count === undefined) this.#lanes.set(lane, { open: 1, limit })
    else count.open++
    return true
  }

  /** Notes that a run of the lane has ended, and begins the next. */
  leave(lane: string, now: number): void {
    const count = this.#lanes.get(lane)
    if (count === undefined) return
    count.open--
    this.#fill(lane, count, now)
  }

  /** Begins waiting runs as far as the limit allows. `stored`: the counts in the store, for a lane that is not counted here yet. */
  resume(lane: string, stored: LaneCount, now: number): void {
    this.#fill(lane, this.#lanes.get(lane) ?? stored, now)
  }

  #fill(lane: string, count: LaneCount, now: number): void {
    while (count.open < Math.max(1, count.limit) && this.#beginNext(lane, now)) count.open++
    if (count.open > 0) this.#lanes.set(lane, count)
    else this.#lanes.delete(lane)
  }
}
