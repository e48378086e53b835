/** The replay window that signed timestamps must fall into (rules: Authentication 5). */

import type { Why } from '../scheme.ts'

const toleranceSeconds = 300
const digits = /^\d{1,12}$/

/** Why a header's Unix seconds do not count at `at` (milliseconds); `undefined` when they are plain digits and within 300 seconds. */
export const whyNotFresh = (name: string, timestamp: string | undefined, at: number): Why | undefined => {
  if (timestamp === undefined || !digits.test(timestamp)) return timestamp ? `${name} is not plain digits` : `${name} is missing`
  return whyTooFar(name, Number(timestamp), Math.floor(at / 1000), toleranceSeconds)
}

/** The same for a time that was read; all in seconds. */
export const whyTooFar = (name: string, sent: number, at: number, tolerance: number): Why | undefined => {
  const off = Math.abs(at - sent)
  return off <= tolerance
    ? undefined
    : `${name} is ${Math.round(off)} s ${sent < at ? 'old' : 'in the future'}, and ${tolerance} s are allowed`
}
