/** The runs of the memory store that were never taken, by priority, and in each in the order of their acceptance. */

import { type Priority, priorities, priorityOf, type Ranked } from '../priority.ts'
import type { MemoryRun } from './memory-run.ts'

export class FreshRuns {
  readonly #runs: { readonly [priority in Priority]: Map<number, MemoryRun> } = { high: new Map(), normal: new Map(), low: new Map() }

  get size(): number {
    return priorities.reduce((sum, priority) => sum + this.#runs[priority].size, 0)
  }

  add(entry: MemoryRun): void {
    this.#runs[priorityOf(entry.run)].set(entry.id, entry)
  }

  /** Removes a run. `false`: it was not among these. */
  delete({ id, run }: MemoryRun): boolean {
    return this.#runs[priorityOf(run)].delete(id)
  }

  /** Returns the oldest runs of each priority, at most `max` of each. */
  oldest(max: number): Ranked<MemoryRun> {
    const of = (priority: Priority): readonly MemoryRun[] => {
      const first: MemoryRun[] = []
      for (const entry of this.#runs[priority].values()) {
        if (first.length >= max) break
        first.push(entry)
      }
      return first
    }
    return { high: of('high'), normal: of('normal'), low: of('low') }
  }

  all(): readonly MemoryRun[] {
    return priorities.flatMap((priority) => [...this.#runs[priority].values()])
  }
}
