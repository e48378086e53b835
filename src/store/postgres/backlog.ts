/**
 * Counts the backlog (groups, and runs that are neither done nor dead), estimates it between two counts, and asks when the next run or
 * group is due.
 */

import type { Clock } from '../../core/clock.ts'
import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import type { CallKind } from './call-kind.ts'
import type { DueBounds } from './due-runs.ts'

/** The most rows of each kind that `ask` counts. The regular count goes only up to the largest number that `hasRoom` was asked about. */
const maxCounted = 1_000_000

const counted = (rows: string): string => `(select count(*) from (select 1 from ${rows} limit $1) as rows)`

/** A count of at most `max` of each kind: fresh, tried and parked runs, and groups. No run is due before `bounds`. */
type CountCall = { readonly max: number; readonly bounds: DueBounds }

/** The call that counts the runs that are not dead, and the groups. */
export const backlogKind: CallKind<CountCall, number> = {
  name: 'backlog_1',
  text: `select ${[
    'runs where attempt = 0 and due_at is not null and due_at >= $2::timestamptz',
    'runs where attempt > 0 and due_at is not null and due_at >= $3::timestamptz',
    'runs where parked',
    'groups',
  ]
    .map(counted)
    .join(' + ')}`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.max, call?.bounds.fresh, call?.bounds.tried],
  answers: ([row]) => [Number(row?.[0])],
}

/**
 * The call for the time until the next run or group is due, in milliseconds; `undefined` where none will be due. A leased run is due when
 * its lease runs out. Runs before the bounds are left out.
 */
export const dueKind: CallKind<DueBounds, number | undefined> = {
  name: 'due_1',
  text: `select (extract(epoch from least(
      (select due_at from runs where attempt = 0 and due_at is not null and due_at >= $1::timestamptz order by due_at, id limit 1),
      (select due_at from runs where attempt > 0 and due_at is not null and due_at >= $2::timestamptz order by due_at, id limit 1),
      (select due_at from groups order by due_at, id limit 1)
    ) - clock()) * 1000)::float8`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([bounds]) => [bounds?.fresh, bounds?.tried],
  answers: ([row]) => [typeof row?.[0] === 'number' ? Math.max(0, row[0]) : undefined],
}

/** Estimates the backlog: the last count, plus the runs and groups that this process has added since, minus the runs that it has ended. */
export class Backlog {
  readonly #count: (max: number) => Promise<number>
  #known: number
  /** The largest number that `hasRoom` was asked about. */
  #asked = 1
  readonly #counting: Repeating

  /** `everyMs`: the time between two counts. `known`: the first count. `count` asks the database for a count up to `max` of each kind. */
  constructor(clock: Clock, everyMs: number, known: number, count: (max: number) => Promise<number>) {
    this.#known = known
    this.#count = count
    const ask = async (): Promise<void> => {
      await this.#hear(this.#asked)
    }
    // Where the database does not answer, the estimate stays: other calls to the store fail and report it to their callers.
    this.#counting = repeat(clock, everyMs, ask, { failed: () => {} })
  }

  hasRoom(max: number): boolean {
    if (max > this.#asked) this.#asked = max
    return this.#known < max
  }

  /** Notes that this process has added runs or groups, or has ended runs (`by` below 0). */
  change(by: number): void {
    this.#known += by
  }

  /** Asks the database for a count, which is exact up to `maxCounted` of each kind. */
  ask(): Promise<number> {
    return this.#hear(maxCounted)
  }

  /** Begins no further count. The count in progress fails with the connection. */
  close(): void {
    void this.#counting.stop()
  }

  async #hear(max: number): Promise<number> {
    this.#known = await this.#count(max)
    return this.#known
  }
}
