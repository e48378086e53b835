/** The wait of a failed run before its next attempt: exponential, with full jitter, up to a cap. */

import { backOff } from '../core/turns/back-off.ts'

/**
 * How often a run is tried, and its waits. `backoffMs`: the longest wait after the first attempt, which doubles with each attempt.
 * `maxDelayMs`: the cap of the longest wait.
 */
export type Retry = { readonly maxAttempts: number; readonly backoffMs: number; readonly maxDelayMs: number }

/**
 * Returns the milliseconds to wait after attempt number `attempt` (the first is 1). `askedMs`: the wait that the agent's API or the target
 * asked for. The result is never less than `askedMs`, even where `askedMs` exceeds the cap `maxDelayMs`.
 */
export const delayAfter = (attempt: number, retry: Retry, askedMs = 0): number =>
  Math.max(askedMs, Math.round(backOff({ first: retry.backoffMs, most: retry.maxDelayMs, jitter: 1 })(attempt)))
