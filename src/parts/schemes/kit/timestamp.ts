/** Checks that a signed time is near to the arrival, so that a captured request cannot be replayed later (rules: Authentication 5). */

import type { RefusalReason } from '../scheme.ts'

const toleranceSeconds = 300
const digitsForm = /^\d{1,12}$/

/**
 * Returns the reason why a header's Unix seconds are refused; `undefined` when they are digits and within 300 s of `at`, which is in
 * milliseconds.
 */
export const whyNotFresh = (name: string, timestamp: string | undefined, at: number): RefusalReason | undefined => {
  if (timestamp === undefined || !digitsForm.test(timestamp)) return timestamp ? `${name} is not plain digits` : `${name} is missing`
  return whyTooFar(name, Number(timestamp), Math.floor(at / 1000), toleranceSeconds)
}

/** Returns the reason why a time is refused; `undefined` when it is at most `tolerance` away from `at`. All values are in seconds. */
export const whyTooFar = (name: string, sent: number, at: number, tolerance: number): RefusalReason | undefined => {
  const off = Math.abs(at - sent)
  return off <= tolerance
    ? undefined
    : `${name} is ${Math.round(off)} s ${sent < at ? 'old' : 'in the future'}, and ${tolerance} s are allowed`
}
