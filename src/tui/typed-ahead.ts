/** Keeps keys that come while a screen is being opened, because they are meant for that screen. */

export type TypedAhead = {
  /** Does the act at once, or as soon as no screen is being opened. */
  whenOpened(act: () => void): void
  /** Tells that a screen is being opened, until the work ends. */
  holdUntil(work: Promise<unknown>): void
}

export const createTypedAhead = (): TypedAhead => {
  const waiting: (() => void)[] = []
  let openings = 0
  const done = (): void => {
    openings -= 1
    // The first act may open another screen, and then the rest must wait.
    while (openings === 0 && waiting.length > 0) waiting.shift()?.()
  }
  return {
    whenOpened: (act) => void (openings > 0 ? waiting.push(act) : act()),
    holdUntil(work) {
      openings += 1
      void work.finally(done)
    },
  }
}
