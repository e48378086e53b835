/**
 * Finds the runs without a counted attempt that are taken next: fresh runs (never taken), runs that were parked, and revived runs. While no
 * run has a priority, the oldest are found by their ids alone.
 */

import { firstOf, type Priority, type Ranked } from '../priority.ts'
import type { Statements } from './statements.ts'

/** A run's id, and whether it is still leased to a worker that never finished. */
export type DueRun = readonly [runId: number, leased: number]

const byId = ([a]: DueRun, [b]: DueRun): number => a - b

export class UntriedRuns {
  readonly #sql: Statements
  /** No fresh run with this id or a lower id has the usual priority. So the search for fresh runs begins after this id. */
  #cursor = 0
  /** Whether a run may have a priority. */
  #areRanked = false

  constructor(sql: Statements) {
    this.#sql = sql
  }

  restore(cursor: number): void {
    this.#cursor = cursor
    this.#areRanked = this.#sql.anyRanked.all().length > 0
  }

  /** Notes that a run or a group has a priority. */
  expectRanked(): void {
    this.#areRanked = true
  }

  get isFreshWaiting(): boolean {
    const usual = this.#areRanked ? this.#sql.freshUsual : this.#sql.fresh
    return usual.all([this.#cursor, 1]).length > 0 || (this.#areRanked && this.#oldestRanked().length > 0)
  }

  /** Returns when the oldest run that is neither done nor dead was accepted: wall time, milliseconds. A damaged run has no such time. */
  oldestAt(): number | undefined {
    const [oldest] = this.#sql.oldestRun.all([this.#cursor]) as [acceptedAt: unknown][]
    return typeof oldest?.[0] === 'number' ? oldest[0] : undefined
  }

  /** Returns at most `max` runs, in the order in which they are taken. The caller takes all of them. */
  next(max: number, now: number): readonly DueRun[] {
    const fresh = (this.#areRanked ? this.#sql.freshUsual : this.#sql.fresh).all([this.#cursor, max]) as DueRun[]
    const taken = this.#areRanked ? this.#nextRanked(fresh, max, now) : firstById(fresh, this.#unparked(now, max), max)
    const passed = fresh.filter((due) => taken.includes(due))
    // When no fresh run is left, the cursor goes to the last id, so that the next query does not scan the parked runs again.
    this.#cursor = passed.length === fresh.length && fresh.length < max ? this.#lastId() : (passed.at(-1)?.[0] ?? this.#cursor)
    return taken
  }

  #nextRanked(usual: readonly DueRun[], max: number, now: number): readonly DueRun[] {
    const ranked: Ranked<DueRun> = {
      high: firstById(this.#sql.freshHigh.all([max]) as DueRun[], this.#unparkedOf('high', now, max), max),
      normal: firstById(usual, this.#unparkedOf('normal', now, max), max),
      low: firstById(this.#sql.freshLow.all([max]) as DueRun[], this.#unparkedOf('low', now, max), max),
    }
    const ids = JSON.stringify([...ranked.high, ...ranked.normal, ...ranked.low].map(([id]) => id))
    // A damaged run has no time, so it comes first, and becomes a dead run when it is taken.
    const times = new Map(this.#sql.acceptedAt.all([ids]) as [id: number, at: number | null][])
    return firstOf(ranked, ([id]) => times.get(id) ?? 0, max)
  }

  #unparked(now: number, max: number): DueRun[] {
    return this.#sql.unparked.all([now, max]) as DueRun[]
  }

  #unparkedOf(priority: Priority, now: number, max: number): DueRun[] {
    return this.#sql.unparkedOf.all([now, priority, max]) as DueRun[]
  }

  #oldestRanked(): readonly unknown[] {
    return [...this.#sql.freshHigh.all([1]), ...this.#sql.freshLow.all([1])]
  }

  #lastId(): number {
    const [row] = this.#sql.lastId.all() as [number | null][]
    return Math.max(this.#cursor, row?.[0] ?? 0)
  }
}

const firstById = (some: readonly DueRun[], others: readonly DueRun[], max: number): readonly DueRun[] =>
  [...some, ...others].sort(byId).slice(0, max)
