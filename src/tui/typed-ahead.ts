/** Keeps keys that come while a screen is being opened, because they are meant for that screen. */

export type TypedAhead = {
  /** Does the act at once, or when no screen is being opened any more. */
  typed(act: () => void): void
  /** Says that a screen is being opened until the work ends. */
  until(work: Promise<unknown>): void
}

export const createTypedAhead = (): TypedAhead => {
  const waiting: (() => void)[] = []
  let going = 0
  const done = (): void => {
    going -= 1
    // The first act may open another screen, and then the rest must wait.
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
