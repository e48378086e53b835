/**
 * Remembers when the next run is due, and before which times no run is due. So a process asks the database for due runs less often, and
 * each question reads fewer rows.
 */

import type { Clock } from '../../core/clock.ts'

/**
 * The times before which no run is due, as the database writes times: of runs without a counted attempt (`fresh`), and of runs with
 * attempts (`tried`). While another program holds an old snapshot, the index keeps the places of runs that ended long ago, and a poll
 * without bounds reads all of these.
 */
export type DueBounds = { readonly fresh: string; readonly tried: string }

const unbounded: DueBounds = { fresh: '-infinity', tried: '-infinity' }

/**
 * How long after a poll without bounds the next polls have bounds: a run that another process put before the bounds waits for so long at
 * most.
 */
const boundsLastMs = 10_000

/** A poll for due runs that is in progress. */
export type DuePoll = {
  readonly bounds: DueBounds
  /** Called with the answer. `areMore`: more runs may be due than the poll has given. `next`: the bounds for the next poll. */
  readonly end: (areMore: boolean, next: DueBounds) => void
}

export class DueRuns {
  readonly #clock: Clock
  /** The number of calls of `changed` since the store was opened, and in `#oldChanges` of those with `isOldRun`. */
  #changes = 0
  #oldChanges = 0
  /** The value of `#changes` at the last poll after which no run was due. */
  #quietAt = -1
  #quietUntil = 0
  #bounds = unbounded
  #boundsUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes that this process may have made a run due. `isOldRun`: the run may have been accepted before runs that were due already. */
  changed({ isOldRun = false } = {}): void {
    this.#changes++
    if (!isOldRun) return
    this.#oldChanges++
    this.#boundsUntil = 0
  }

  /** The bounds for a question now. */
  get bounds(): DueBounds {
    return this.#clock.monotonic() < this.#boundsUntil ? this.#bounds : unbounded
  }

  /** Begins a poll for due runs. The caller asks the database with the bounds of the poll. */
  beginPoll(): DuePoll {
    const [changes, oldChanges, bounds, at] = [this.#changes, this.#oldChanges, this.bounds, this.#clock.monotonic()]
    return {
      bounds,
      end: (areMore, next) => {
        this.#bounds = next
        if (bounds === unbounded && oldChanges === this.#oldChanges) this.#boundsUntil = at + boundsLastMs
        this.#quietAt = areMore ? -1 : changes
        this.#quietUntil = 0
      },
    }
  }

  /** Notes that no run is due for `ms` milliseconds, as the database has answered after the last poll. */
  quietFor(ms: number): void {
    this.#quietUntil = this.#clock.monotonic() + ms
  }

  /** The time until it is worth asking for due runs, in milliseconds. 0: a run may be due now. */
  get quietMs(): number {
    return this.#quietAt === this.#changes ? Math.max(0, this.#quietUntil - this.#clock.monotonic()) : 0
  }
}
