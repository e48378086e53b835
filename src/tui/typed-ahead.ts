/** Keeps what the user types while a screen is being opened, because the user means it for that screen. */

/** The acts of the user (a key, a paste, a click) that wait for a screen. */
export type TypedAhead = {
  /** Does an act of the user at once, or as soon as no screen is being opened. Acts keep their order. */
  whenOpened(act: () => void): void
  /** Notes that `work` opens a screen. Acts wait until `work` ends. */
  holdUntil(work: Promise<unknown>): void
}

export const createTypedAhead = (): TypedAhead => {
  const waiting: (() => void)[] = []
  let openings = 0
  const done = (): void => {
    openings -= 1
    // An act may open another screen, and then the acts behind it must go on waiting.
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
