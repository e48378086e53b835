/** Finds the last time of a schedule in a span. It halves the span, because a job of each second may have missed very many times. */

import type { Schedule } from '../expr/schedule.ts'

/** No schedule has two times within a second. */
const apartMs = 1_000

/** The last time from `from` to `until`, both included; `undefined` when there is none. */
export const lastTime = ({ next }: Schedule, from: number, until: number): number | undefined => {
  let last = next(from - 1)
  if (last === undefined || last > until) return undefined
  // `last` is a time of the schedule, and none is later than `end`.
  let end = until
  while (end - last >= apartMs) {
    const middle = Math.floor((last + end) / 2)
    const later = next(middle)
    if (later !== undefined && later <= until) last = later
    else end = middle
  }
  return last
}
