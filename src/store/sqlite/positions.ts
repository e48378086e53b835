/**
 * The positions in an open database: the next time of each schedule, and the time up to which each route has caught up with its sender
 * (`positions` in ports.ts).
 */

import { parseText } from '../stored.ts'
import type { Statements } from './statements.ts'

/** Reads and sets positions. Keys are stored as JSON, so that every key is read back as it was. */
export class Positions {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  all(): ReadonlyMap<string, number> {
    const rows = this.#sql.positions.all() as [Buffer, number][]
    const times = rows.flatMap(([stored, at]) => {
      const key = parseText(stored)
      return key === undefined ? [] : [[key, at] as const]
    })
    return new Map(times)
  }

  note(times: ReadonlyMap<string, number | undefined>): void {
    // Positions are removed before others are added, so that the removed ones make room: no more than `maxPositions` are stored.
    for (const [key, at] of times) if (at === undefined) this.#sql.dropPosition.run([JSON.stringify(key)])
    for (const [key, at] of times) if (at !== undefined) this.#sql.keepPosition.run([JSON.stringify(key), at])
  }
}
