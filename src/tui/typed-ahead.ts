/** Keys that come while a screen is being opened wait for it: they are meant for what stands there. */

export type TypedAhead = {
  /** Does it at once, or when nothing is being opened any more. */
  typed(act: () => void): void
  /** A screen is being opened until then. */
  until(work: Promise<unknown>): void
}

export const createTypedAhead = (): TypedAhead => {
  const waiting: (() => void)[] = []
  let going = 0
  const done = (): void => {
    going -= 1
    // The first one may open another screen.
    while (going === 0 && waiting.length > 0) waiting.shift()?.()
  }
  return {
    typed: (act) => void (going > 0 ? waiting.push(act) : act()),
    until(work) {
      going += 1
      void work.finally(done)
    },
  }
}
