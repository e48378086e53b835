/** The deadline for work that ends with a signal. */

import type { Clock } from '../clock.ts'

export type TimeLimit = {
  /** Aborts when the time is over, or when the signal `from` of `timeLimit` aborts. */
  readonly signal: AbortSignal
  /** Whether the time is over. */
  readonly isOver: () => boolean
  /** Ends the limit: the time does not run out any more. */
  readonly lift: () => void
}

/** Begins a limit of `ms` milliseconds. Call `lift` in the end, so that no timer stays. */
export const timeLimit = (clock: Pick<Clock, 'after'>, ms: number, from?: AbortSignal): TimeLimit => {
  const late = new AbortController()
  const lift = clock.after(ms, () => late.abort(new Error('the time is up')))
  // `AbortSignal.any` instead of a listener on `from`: a run may make many calls at once, and Node warns of many listeners.
  return { signal: from ? AbortSignal.any([from, late.signal]) : late.signal, isOver: () => late.signal.aborted, lift }
}
