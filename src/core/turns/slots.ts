/** Runs a bounded number of works at once, and lets a bounded number wait for their turn. */

export interface Slots {
  /** Runs the work when its turn comes. Resolves to `undefined` at once when no more work may wait. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
}

export const createSlots = (max: () => number, maxWaiting: number): Slots => {
  const waiting: (() => void)[] = []
  let busy = 0

  return {
    async run(work) {
      if (busy < max()) busy++
      else if (waiting.length >= maxWaiting) return undefined
      // A work that ends hands its slot over, so `busy` stays and no other work can take the slot in between.
      else await new Promise<void>((turn) => waiting.push(turn))
      try {
        return await work()
      } finally {
        // A limit that was lowered meanwhile is reached by handing no slot over.
        const next = busy <= max() ? waiting.shift() : undefined
        if (next) next()
        else busy--
      }
    },
  }
}
