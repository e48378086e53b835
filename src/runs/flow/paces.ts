/** Lets the runs of a route begin at the pace of its `rate_limit` (rules: Rate limits 5). */

import type { Clock } from '../../core/clock.ts'
import { KeyedWindows } from '../../core/limits/keyed-windows.ts'
import type { Lease, RunId } from '../../store/ports.ts'

/** The most runs whose turns are remembered. Any further run is looked at again when the present minute is over. */
const maxTurns = 100_000
/** How long after its turn a run is forgotten that has not begun, because it was cancelled or another process took it, in milliseconds. */
const forgottenAfterMs = 3_600_000
/** The most keys whose delay is remembered. Runs whose delay is forgotten are looked at too soon, and wait on. */
const maxDelays = 10_000

/** Counts over all gateways on a shared store, as `EventRates` does. */
export type SharedRates = { readonly charge: (key: string, limit: number) => number | Promise<number> }

/**
 * The turns of runs. Each process plans the turns of its runs as if no other gateway worked on the store. Where the minute of a run's turn
 * is full, because other gateways have begun runs in it, all turns of the run's key in this process are put off to the next minute, so
 * that the runs keep their order, and no more of them are looked at in a minute than may begin.
 */
export class Paces {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #shared: SharedRates | undefined
  readonly #windows = new KeyedWindows()
  /** When it is the turn of a run, on monotonic time before the delay of its key; -Infinity where the run is counted and may begin. */
  readonly #turns = new Map<RunId, number>()
  /** How long the turns of a key are put off, in milliseconds. */
  readonly #delays = new Map<string, number>()

  /** `shared`: counts begun runs over all gateways. Absent: this process is the only one. */
  constructor(clock: Pick<Clock, 'monotonic'>, shared?: SharedRates) {
    this.#clock = clock
    this.#shared = shared
  }

  /**
   * Returns the time until the run may begin, in milliseconds; 0 for now. A run keeps its turn until it has begun (`began`). `perMinute`:
   * how many runs with the run's key begin in a minute.
   */
  async waitMs({ runId, run: { profile, route, rateKey } }: Lease, perMinute: number): Promise<number> {
    const key = rateKey ?? `rate/${profile}/${route}`
    const now = this.#clock.monotonic()
    if (this.#turns.size >= maxTurns) this.#forget(now)
    if (!this.#turns.has(runId) && this.#turns.size >= maxTurns) return (this.#shared ?? this.#own).charge(key, perMinute)
    const delay = this.#delays.get(key) ?? 0
    const turn = this.#turns.get(runId) ?? now - delay + this.#windows.reserve(key, perMinute, now - delay)
    this.#turns.set(runId, turn)
    const waitMs = Math.max(0, turn + delay - now)
    if (waitMs > 0 || !this.#shared || turn === Number.NEGATIVE_INFINITY) return waitMs
    const fullMs = await this.#shared.charge(key, perMinute)
    if (fullMs === 0) this.#turns.set(runId, Number.NEGATIVE_INFINITY)
    else this.#putOff(key, this.#clock.monotonic() + fullMs - turn)
    return fullMs
  }

  /** Notes that a run has begun. */
  began({ runId }: Lease): void {
    this.#turns.delete(runId)
  }

  readonly #own: SharedRates = { charge: (key, perMinute) => this.#windows.charge(key, perMinute, this.#clock.monotonic()) }

  #putOff(key: string, delay: number): void {
    if (this.#delays.size >= maxDelays) this.#delays.clear()
    this.#delays.set(key, Math.max(delay, this.#delays.get(key) ?? 0))
  }

  #forget(now: number): void {
    for (const [runId, turn] of this.#turns) if (turn + forgottenAfterMs < now) this.#turns.delete(runId)
  }
}
