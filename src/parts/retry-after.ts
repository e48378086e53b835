/** Parses the header `Retry-After`, with which a server says how long to wait before the next try (RFC 9110, 10.2.3). */

/** The longest wait that a server may ask for: an hour, in milliseconds. */
const longestMs = 3_600_000
/** Each form of a date in HTTP begins with the day of the week. `Date.parse` alone would take `1.5` for a day of the year 2001. */
const dateForm = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /
/** The oldest form, `Sun Nov  6 08:49:37 1994`, names no zone. It is GMT, which `Date.parse` must be told. */
const withoutZone = /\d{4}$/

/**
 * Parses whole seconds, or a date that begins with the day of the week. Returns milliseconds from `now`, between 0 and an hour;
 * `undefined` for any other text.
 */
export const parseRetryAfter = (text: string, now: number): number | undefined => {
  const date = withoutZone.test(text) ? `${text} GMT` : text
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : dateForm.test(text) ? Date.parse(date) - now : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(longestMs, Math.max(0, ms))
}
