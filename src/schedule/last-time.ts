/**
 * Finds the last time of a schedule within a span, by halving the span. Going through all times would take too long: a job that is due each
 * second may have missed very many times.
 */

import type { Schedule } from '../expr/schedule.ts'

/** The least time between two times of a schedule, in milliseconds. */
const apartMs = 1_000

/** Returns the last time from `from` to `until`, both included, in milliseconds since 1970; `undefined` when there is none. */
export const lastTime = ({ next }: Schedule, from: number, until: number): number | undefined => {
  let last = next(from - 1)
  if (last === undefined || last > until) return undefined
  // `last` is a time of the schedule, and no time is later than `end`.
  let end = until
  while (end - last >= apartMs) {
    const middle = Math.floor((last + end) / 2)
    const later = next(middle)
    if (later !== undefined && later <= until) last = later
    else end = middle
  }
  return last
}
