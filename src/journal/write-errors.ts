/** Reports failed writes of the journal at most once a minute, so that a full disk does not fill the log too. */

import type { Clock } from '../core/clock.ts'

export interface WriteErrors {
  /** Notes a failure, and the number of journal lines that were lost by the failure. */
  note(why: string, lines: number): void
  /** Reports the last noted reason and the number of all lost lines, unless the last report was less than a minute ago. */
  say(): void
}

export const createWriteErrors = (clock: Clock, report: (message: string) => void): WriteErrors => {
  let why: string | undefined
  let lost = 0
  let silentUntil = Number.NEGATIVE_INFINITY

  return {
    note(reason, lines) {
      why = reason
      lost += lines
    },
    say() {
      if (why === undefined || clock.monotonic() < silentUntil) return
      silentUntil = clock.monotonic() + 60_000
      report(`event journal: ${lost > 0 ? `${lost} ${lost === 1 ? 'line' : 'lines'} not written: ` : ''}${why}`)
      why = undefined
      lost = 0
    },
  }
}
