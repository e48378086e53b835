/** How long a failed run waits for its next attempt: exponential, with full jitter, up to a cap. */

export type Retry = { readonly maxAttempts: number; readonly backoffMs: number; readonly maxDelayMs: number }

/** Milliseconds to wait after attempt `attempt`; the first is 1. `askedMs`, what the other side wants, is the least, even past the cap. */
export const delayAfter = (attempt: number, retry: Retry, askedMs = 0, random: () => number = Math.random): number => {
  const ceiling = Math.min(retry.maxDelayMs, retry.backoffMs * 2 ** (attempt - 1))
  return Math.max(askedMs, Math.round(random() * ceiling))
}
