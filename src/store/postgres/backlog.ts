/** Counts the runs and groups that wait, and estimates the number between two counts. */

import type { Clock } from '../../core/clock.ts'
import type { CallKind } from './call-kind.ts'

/** No count looks through more rows of a kind than this. */
const maxCounted = 1_000_000

const counted = (rows: string): string => `(select count(*) from (select 1 from ${rows} limit ${maxCounted}) as rows)`

export const backlogKind: CallKind<void, number> = {
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
  values: () => [],
  answers: ([row], calls) => calls.map(() => Number(row?.[0])),
}

/** Returns the time until the next run or group is due, `null` when none waits. */
export const dueKind: CallKind<void, number | undefined> = {
  name: 'due_1',
  text: `select (extract(epoch from least(
      (select due_at from runs where attempt = 0 and due_at is not null order by due_at, id limit 1),
      (select due_at from runs where attempt > 0 and due_at is not null order by due_at, id limit 1),
      (select due_at from groups order by due_at, id limit 1)
    ) - clock()) * 1000)::float8`,
  maxCalls: 1_000,
  isRepeatable: true,
  values: () => [],
  answers: ([row], calls) => calls.map(() => (typeof row?.[0] === 'number' ? Math.max(0, row[0]) : undefined)),
}

/** The backlog as the store heard it last, with what this process has added and ended since. */
export class Backlog {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #count: () => Promise<number>
  #known: number
  #cancelTimer: () => void = () => {}
  #isClosed = false

  /** `count` asks the store. */
  constructor(clock: Clock, everyMs: number, known: number, count: () => Promise<number>) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#known = known
    this.#count = count
    this.#sleep()
  }

  get known(): number {
    return this.#known
  }

  change(by: number): void {
    this.#known += by
  }

  async ask(): Promise<number> {
    this.#known = await this.#count()
    return this.#known
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
  }

  #sleep(): void {
    if (this.#isClosed) return
    // A store that does not answer leaves the number as it is: the callers learn of it from their own calls.
    const again = (): void => this.#sleep()
    this.#cancelTimer = this.#clock.after(this.#everyMs, () => void this.ask().then(again, again))
  }
}
