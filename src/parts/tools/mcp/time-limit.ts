/** Bounds how long somebody waits. */

import type { Clock } from '../../../core/clock.ts'

export type TimeLimit = {
  /** Aborts when the time is up, or when the signal that it was made of does. */
  readonly signal: AbortSignal
  /** Whether the time is up. */
  readonly isUp: () => boolean
  /** Ends the limit: the time does not run out any more. */
  readonly lift: () => void
}

export const timeLimit = (clock: Clock, ms: number, from?: AbortSignal): TimeLimit => {
  const late = new AbortController()
  const lift = clock.after(ms, () => late.abort(new Error('the time is up')))
  // `AbortSignal.any` instead of a listener on `from`: a run may make many calls at once, and Node warns of many listeners.
  return { signal: from ? AbortSignal.any([from, late.signal]) : late.signal, isUp: () => late.signal.aborted, lift }
}
