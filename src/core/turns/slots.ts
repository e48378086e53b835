/** A bounded number of works at once and of others waiting their turn; past both there is no room. */

export interface Slots {
  /** Runs the work when its turn comes; `undefined` at once when there is no room to wait. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
}

export const createSlots = (max: () => number, maxWaiting: number): Slots => {
  const waiting: (() => void)[] = []
  let busy = 0

  return {
    async run(work) {
      if (busy < max()) busy++
      else if (waiting.length >= maxWaiting) return undefined
      // Whoever ends hands its slot over, so `busy` stays and nobody can step in between.
      else await new Promise<void>((turn) => waiting.push(turn))
      try {
        return await work()
      } finally {
        // A limit that was lowered meanwhile is reached by handing nothing over.
        const next = busy <= max() ? waiting.shift() : undefined
        if (next) next()
        else busy--
      }
    },
  }
}
