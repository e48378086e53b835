/** The next times of schedules (`positions` in ports.ts) in the memory store. */

import { maxPositions } from '../bounds.ts'

export class Positions {
  readonly #times = new Map<string, number>()

  all(): ReadonlyMap<string, number> {
    return new Map(this.#times)
  }

  note(times: ReadonlyMap<string, number | undefined>): void {
    for (const [key, at] of times) if (at === undefined) this.#times.delete(key)
    for (const [key, at] of times) {
      if (at !== undefined && (this.#times.size < maxPositions || this.#times.has(key))) this.#times.set(key, at)
    }
  }
}
