/** The sums of usage (`spend`) in an open database: one for each key, for the latest window of time. */

import type { Spent } from '../ports.ts'
import type { Statements } from './statements.ts'

export class Sums {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /**
   * Called at the start of a process. Afterwards no window lasts longer than its length from now: the clock may have been set back since
   * the last stop.
   */
  takeOver(now: number): void {
    this.#sql.capSums.run([now])
  }

  spend(key: string, leftMs: number, add: Spent, now: number): Spent {
    const before = this.#sumOf(key, now)
    if (add.tokens === 0 && add.cost === 0) return before ?? { tokens: 0, cost: 0 }
    this.#sql.addToSum.run({ key, leftMs, now, tokens: add.tokens, cost: add.cost })
    if (before === undefined) this.#sql.trimSums.run()
    return this.#sumOf(key, now) ?? add
  }

  prune(now: number): void {
    this.#sql.pruneSums.run([now])
  }

  #sumOf(key: string, now: number): Spent | undefined {
    const [row] = this.#sql.sum.all([key, now]) as [tokens: number, cost: number][]
    return row && { tokens: row[0], cost: row[1] }
  }
}
