/** Counts the runs and groups that wait, and estimates the number between two counts. */

import type { Clock } from '../../core/clock.ts'
import type { CallKind } from './call-kind.ts'
import type { DueBounds } from './due-runs.ts'

/** The most rows of a kind that `backlog` counts. Between its calls, only as many are counted as somebody asked about. */
const maxCounted = 1_000_000

const counted = (rows: string): string => `(select count(*) from (select 1 from ${rows} limit $1) as rows)`

/** Counts at most so many runs that are fresh, tried or parked, and groups. */
export const backlogKind: CallKind<number, number> = {
  name: 'backlog_1',
  text: `select ${[
    'runs where attempt = 0 and due_at is not null',
    'runs where attempt > 0 and due_at is not null',
    'runs where parked',
    'groups',
  ]
    .map(counted)
    .join(' + ')}`,
  maxCalls: 1_000,
  isRepeatable: true,
  values: (calls) => [Math.max(...calls)],
  answers: ([row], calls) => calls.map(() => Number(row?.[0])),
}

/** Returns the time until the next run or group is due, `undefined` when none waits. Runs before the bounds are left out. */
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

/** The backlog as the store heard it last, with what this process has added and ended since. */
export class Backlog {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #count: (max: number) => Promise<number>
  #known: number
  /** The largest number that `hasRoom` was asked about. */
  #asked = 1
  #cancelTimer: () => void = () => {}
  #isClosed = false

  /** `count` asks the store. */
  constructor(clock: Clock, everyMs: number, known: number, count: (max: number) => Promise<number>) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#known = known
    this.#count = count
    this.#sleep()
  }

  hasRoom(max: number): boolean {
    if (max > this.#asked) this.#asked = max
    return this.#known < max
  }

  change(by: number): void {
    this.#known += by
  }

  ask(): Promise<number> {
    return this.#hear(maxCounted)
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
  }

  #sleep(): void {
    if (this.#isClosed) return
    // A store that does not answer leaves the number as it is: the callers learn of it from their own calls.
    const again = (): void => this.#sleep()
    this.#cancelTimer = this.#clock.after(this.#everyMs, () => void this.#hear(this.#asked).then(again, again))
  }

  async #hear(max: number): Promise<number> {
    this.#known = await this.#count(max)
    return this.#known
  }
}
