/** Lets the runs of a route begin at the pace of its `rate_limit` (rules: Rate limits 5). */

import { KeyedWindows } from '../../core/limits/keyed-windows.ts'
import type { Lease, RunId } from '../../store/ports.ts'

/** The most runs whose turns are remembered. Any further run is looked at again when the present minute is over. */
const maxTurns = 100_000
/** How long after its turn a run is forgotten that has not begun, because it was cancelled or another process took it, in milliseconds. */
const forgottenAfterMs = 3_600_000

export class Paces {
  readonly #windows = new KeyedWindows()
  /** When it is the turn of a run, on monotonic time. */
  readonly #turns = new Map<RunId, number>()

  /**
   * Returns the time until the run may begin, in milliseconds; 0 for now. A run keeps its turn until it has begun (`began`). `perMinute`:
   * how many runs with the run's key begin in a minute. `now`: monotonic time.
   */
  waitMs({ runId, run: { profile, route, rateKey } }: Lease, perMinute: number, now: number): number {
    const turn = this.#turns.get(runId)
    if (turn !== undefined) return Math.max(0, turn - now)
    const key = rateKey ?? `${profile}/${route}`
    if (this.#turns.size >= maxTurns) this.#forget(now)
    if (this.#turns.size >= maxTurns) return this.#windows.charge(key, perMinute, now)
    const waitMs = this.#windows.reserve(key, perMinute, now)
    this.#turns.set(runId, now + waitMs)
    return waitMs
  }

  /** Notes that a run has begun. */
  began({ runId }: Lease): void {
    this.#turns.delete(runId)
  }

  #forget(now: number): void {
    for (const [runId, turn] of this.#turns) if (turn + forgottenAfterMs < now) this.#turns.delete(runId)
  }
}
