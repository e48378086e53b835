/** Reports failures and lost lines of the journal at most once a minute, so that a full disk does not fill the log too. */

import { minuteMs } from '../core/clock.ts'
import type { JournalOptions } from './batch-writer.ts'

export interface WriteErrors {
  /** Notes a failure, and the number of journal lines that were lost by the failure. */
  note(why: string, lines: number): void
  /**
   * Reports the last noted reason and the number of all lost lines, unless the last report was less than a minute ago. `isLast`: reports in
   * any case.
   */
  say(isLast?: boolean): void
}

export const createWriteErrors = ({ clock, report, lostLines }: Pick<JournalOptions, 'clock' | 'report' | 'lostLines'>): WriteErrors => {
  let why: string | undefined
  let lost = 0
  let silentUntil = Number.NEGATIVE_INFINITY

  return {
    note(reason, lines) {
      why = reason
      lost += lines
      if (lines > 0) lostLines?.(lines)
    },
    say(isLast = false) {
      if (why === undefined || (!isLast && clock.monotonic() < silentUntil)) return
      silentUntil = clock.monotonic() + minuteMs
      report(`event journal: ${lost > 0 ? `${lost} ${lost === 1 ? 'line' : 'lines'} not written: ` : ''}${why}`)
      why = undefined
      lost = 0
    },
  }
}
