/** Runs a bounded number of tasks at once, and lets a bounded number wait for their turn. */

export interface Slots {
  /**
   * Runs the task when its turn comes, and resolves or rejects as the task does. Resolves to `undefined` at once when no more tasks may
   * wait.
   */
  run<T>(task: () => Promise<T>): Promise<T | undefined>
}

/**
 * Makes slots. `max`: returns the most tasks at once; it is called when a task comes or ends, because a reload may change the number.
 * `maxWaiting`: the most tasks that wait.
 */
export const createSlots = (max: () => number, maxWaiting: number): Slots => {
  const waiting: (() => void)[] = []
  let busy = 0

  return {
    async run(task) {
      if (busy < max()) busy++
      else if (waiting.length >= maxWaiting) return undefined
      // A task that ends hands its slot over, so `busy` keeps its value and no other task can take the slot in between.
      else await new Promise<void>((turn) => waiting.push(turn))
      try {
        return await task()
      } finally {
        // Where `max` was lowered meanwhile, tasks that end hand no slot over until no more than `max` are running.
        const next = busy <= max() ? waiting.shift() : undefined
        if (next) next()
        else busy--
      }
    },
  }
}
