/** The wait of a failed run before its next attempt: exponential, with full jitter, up to a cap. */

export type Retry = { readonly maxAttempts: number; readonly backoffMs: number; readonly maxDelayMs: number }

/**
 * Returns the milliseconds to wait after attempt number `attempt`, from 1. `askedMs`, the wait that the other side asked for, is the least,
 * even past the cap.
 */
export const delayAfter = (attempt: number, retry: Retry, askedMs = 0, random: () => number = Math.random): number => {
  const ceiling = Math.min(retry.maxDelayMs, retry.backoffMs * 2 ** (attempt - 1))
  return Math.max(askedMs, Math.round(random() * ceiling))
}
