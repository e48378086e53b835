/** The sums of usage of the memory store: one for each key, for the latest window of time. */

import { maxSums } from '../bounds.ts'
import type { Spent } from '../ports.ts'

type Sum = Spent & { readonly endsAt: number }

export class Sums {
  readonly #sums = new Map<string, Sum>()

  spend(key: string, leftMs: number, add: Spent, now: number): Spent {
    const held = this.#sums.get(key)
    const before = held && held.endsAt > now ? held : { tokens: 0, cost: 0, endsAt: now + leftMs }
    const sum = { tokens: before.tokens + add.tokens, cost: before.cost + add.cost, endsAt: before.endsAt }
    if (add.tokens !== 0 || add.cost !== 0) this.#sums.set(key, sum)
    if (this.#sums.size > maxSums) this.#dropFirst(now)
    return { tokens: sum.tokens, cost: sum.cost }
  }

  prune(now: number): void {
    for (const [key, { endsAt }] of this.#sums) if (endsAt <= now) this.#sums.delete(key)
  }

  #dropFirst(now: number): void {
    this.prune(now)
    const [first] = this.#sums.size > maxSums ? [...this.#sums].sort(([, a], [, b]) => a.endsAt - b.endsAt) : []
    if (first) this.#sums.delete(first[0])
  }
}
