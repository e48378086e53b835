/** The next times of schedules (`plans` in ports.ts) in an open database. */

import type { Statements } from './statements.ts'
import { parseText } from './stored.ts'

/** Keys are stored as JSON, so that every key is read back as it was. */
export class Plans {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  all(): ReadonlyMap<string, number> {
    const rows = this.#sql.plans.all() as [Buffer, number][]
    const times = rows.flatMap(([stored, at]) => {
      const key = parseText(stored)
      return key === undefined ? [] : [[key, at] as const]
    })
    return new Map(times)
  }

  note(times: ReadonlyMap<string, number | undefined>): void {
    // Plans are removed before others are added: where `maxPlans` are stored, no other plan is added until one is removed.
    for (const [key, at] of times) if (at === undefined) this.#sql.unplan.run([JSON.stringify(key)])
    for (const [key, at] of times) if (at !== undefined) this.#sql.plan.run([JSON.stringify(key), at])
  }
}
