/**
 * Runs that this process takes in the statement that accepts them, while its worker can begin more runs. That is half of the work of
 * accepting a run and taking it later. The worker gets the runs with its next call of `take`.
 */

import type { Clock } from '../../core/clock.ts'
import type { Lease } from '../ports.ts'

/** How long a run may wait for the worker. Its lease is longer by this time. */
const longestWaitMs = 10_000

type Waiting = { readonly lease: Lease; readonly since: number }

export class TakenAhead {
  readonly #clock: Clock
  /** The number of runs that may still be reserved. */
  #room = 0
  /** The number of reserved runs that the database has not answered for. */
  #underWay = 0
  #leaseMs = 0
  #waiting: Waiting[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sets the number of runs that the worker could begin beside its runs in progress. `leaseMs`: the length of the worker's leases. */
  allow(room: number, leaseMs: number): void {
    this.#room = room - this.#underWay - this.#waiting.length
    this.#leaseMs = leaseMs + longestWaitMs
  }

  /** Reserves the place of one run. Returns the length of its lease in milliseconds, or 0 when the worker can begin no more runs. */
  reserve(): number {
    if (this.#room <= 0) return 0
    this.#room--
    this.#underWay++
    return this.#leaseMs
  }

  /**
   * Ends a reservation. `lease` is absent where the run was not taken. `since`: the monotonic time at which the run was sent to the
   * database.
   */
  end(since: number, lease?: Lease): void {
    this.#underWay--
    if (lease) this.#waiting.push({ lease, since })
  }

  /** Removes and returns runs in the order of their acceptance, at most `max` of them. */
  give(max = Number.POSITIVE_INFINITY): Lease[] {
    return this.#waiting.splice(0, max).map(({ lease }) => lease)
  }

  /** Removes and returns the runs whose leases have become too short for the worker. */
  expired(): Lease[] {
    const oldest = this.#clock.monotonic() - longestWaitMs
    const count = this.#waiting.findIndex(({ since }) => since > oldest)
    return this.give(count < 0 ? this.#waiting.length : count)
  }
}
