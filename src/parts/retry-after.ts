/** How long the other side asks us to wait (RFC 9110, 10.2.3). */

const longestMs = 3_600_000

/** Seconds or a date, as milliseconds from now, at most an hour; `undefined` when it says neither. */
export const parseRetryAfter = (text: string, now: number): number | undefined => {
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(longestMs, Math.max(0, ms))
}
