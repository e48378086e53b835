/**
 * The positions in the memory store: the next time of each schedule, and the time up to which each route has caught up with its sender
 * (`positions` in ports.ts).
 */

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
