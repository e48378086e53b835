/** Lets the runs of a route begin at the pace of its `rate_limit` (rules: Rate limits 5). */

import { type Clock, minuteMs } from '../../core/clock.ts'
import { KeyedWindows } from '../../core/limits/keyed-windows.ts'
import type { Lease, RunId } from '../../store/ports.ts'

/** The most runs whose turns are remembered. Any further run is judged again when the present minute is over. */
const maxTurns = 100_000
/** How long after its turn a run is forgotten that has not begun, because it was cancelled or another process took it, in milliseconds. */
const forgottenAfterMs = 3_600_000
/** The most keys whose delay is remembered. Runs whose delay is forgotten are judged too soon, and wait on. */
const maxDelays = 10_000

/** Counts over all gateways on a shared store, as `EventRates` does. */
export type SharedRates = { readonly charge: (key: string, limit: number) => number | Promise<number> }

/**
 * When it is a run's turn to begin. `planned`: the turn comes at `at`, on monotonic time, or later by the delay of the run's key. `come`:
 * the turn came at `at`, but the minute was full. `counted`: the run is counted and may begin.
 */
type Turn = { readonly state: 'planned' | 'come' | 'counted'; readonly at: number }

/**
 * The turns of runs. Each process plans the turns of its runs as if no other gateway worked on the store. A run whose minute is full,
 * because other gateways have begun runs in it, asks again in the next minute, and delays the turns behind it by one place. So the runs
 * keep their order, and of a long queue few runs more are judged in a minute than may begin.
 */
export class Paces {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #shared: SharedRates | undefined
  readonly #windows = new KeyedWindows()
  readonly #turns = new Map<RunId, Turn>()
  /** How much later than planned the turns of a key come, in milliseconds, by key. */
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
    const turn = this.#turns.get(runId) ?? this.#plan(key, perMinute, now - delay)
    this.#turns.set(runId, turn)
    if (turn.state === 'counted') return 0
    if (turn.state === 'planned' && turn.at + delay > now) return turn.at + delay - now
    if (!this.#shared) return 0
    const fullMs = await this.#shared.charge(key, perMinute)
    this.#turns.set(runId, { state: fullMs === 0 ? 'counted' : 'come', at: now })
    if (fullMs > 0) this.#delay(key, minuteMs / perMinute)
    return fullMs
  }

  /** Notes that a run has begun. */
  began({ runId }: Lease): void {
    this.#turns.delete(runId)
  }

  readonly #own: SharedRates = { charge: (key, perMinute) => this.#windows.charge(key, perMinute, this.#clock.monotonic()) }

  #plan(key: string, perMinute: number, now: number): Turn {
    return { state: 'planned', at: now + this.#windows.reserve(key, perMinute, now) }
  }

  #delay(key: string, byMs: number): void {
    if (this.#delays.size >= maxDelays) this.#delays.clear()
    this.#delays.set(key, (this.#delays.get(key) ?? 0) + byMs)
  }

  #forget(now: number): void {
    for (const [runId, { at }] of this.#turns) if (at + forgottenAfterMs < now) this.#turns.delete(runId)
  }
}
