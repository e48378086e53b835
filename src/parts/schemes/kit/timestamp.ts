/** The replay window that signed timestamps must fall into (rules: Authentication 5). */

const toleranceSeconds = 300
const digits = /^\d{1,12}$/

/** Whether a header's Unix seconds are within 300 seconds of `at` (milliseconds); anything but plain digits is not. */
export const fresh = (timestamp: string, at: number): boolean =>
  digits.test(timestamp) && Math.abs(Math.floor(at / 1000) - Number(timestamp)) <= toleranceSeconds
