/** Parses the header `Retry-After`, with which a server says how long to wait before the next try (RFC 9110, 10.2.3). */

/** The longest wait that a server may ask for: an hour, in milliseconds. */
const longestMs = 3_600_000

/**
 * Parses whole seconds, or a date as `Date.parse` reads it. Returns milliseconds from `now`, between 0 and an hour; `undefined` for any
 * other text.
 */
export const parseRetryAfter = (text: string, now: number): number | undefined => {
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(longestMs, Math.max(0, ms))
}
