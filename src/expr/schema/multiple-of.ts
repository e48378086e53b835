/**
 * Says whether a number is a multiple of another, as people count: 19.99 is one of 0.01, though the quotient of the two doubles is no whole
 * number. Numbers count as their shortest decimal texts.
 */

import { decimalOf, type ExactNumber } from '../../core/exact-number.ts'

/** A number as `digits × 10^exponent`; its digits do not end in 0. `length`: the number of its digits. */
type Whole = { readonly digits: bigint; readonly exponent: number; readonly length: number }

/** Returns the digits and the exponent of a number; `undefined` where its exponent is absurdly long. */
const wholeOf = (value: number | ExactNumber): Whole | undefined => {
  const decimal = decimalOf(value)
  return decimal && { digits: BigInt(`${decimal.sign}${decimal.digits}`), exponent: decimal.exponent, length: decimal.digits.length }
}

/** Up to 15 digits, no two decimals have the same double. */
const exact = 1e15
/** The most that `10^n` is a double exactly. */
const maxPower = 22

/** The steps of a test in whole numbers, and the number of digits that count as one more. */
const stepsOfWholes = 100
const digitsAStep = 8

/**
 * Compiles the test for one factor above 0. `spend` is called with the steps of a test that takes as long as a hundred ordinary ones: such a
 * test counts in whole numbers, of as many digits as the sender wrote.
 */
export const compileMultipleOf = (
  factor: number | ExactNumber,
  spend: (steps: number) => void,
): ((value: number | ExactNumber) => boolean) => {
  const step = wholeOf(factor)
  if (!step) return () => false
  const scale = 10 ** -step.exponent
  const digits = Number(step.digits)
  const isShort = step.exponent <= 0 && -step.exponent <= maxPower && digits < exact
  return (value) => {
    if (isShort && typeof value === 'number') {
      const scaled = Math.round(value * scale)
      if (Math.abs(scaled) < exact) return scaled / scale === value && scaled % digits === 0
    }
    spend(stepsOfWholes + (typeof value === 'number' ? 0 : value.text.length / digitsAStep))
    const whole = wholeOf(value)
    return whole !== undefined && isMultiple(whole, step)
  }
}

const isMultiple = (value: Whole, step: Whole): boolean => {
  const shift = value.exponent - step.exponent
  if (value.digits === 0n) return true
  // With a negative shift, the value would need a factor of ten, which its digits lack: they do not end in 0.
  return shift >= 0 && (value.digits * powerOfTen(shift, step.digits)) % step.digits === 0n
}

/** Returns the remainder of `10^power` by a number, without writing so many zeros. */
const powerOfTen = (power: number, by: bigint): bigint => {
  let [result, square] = [1n % by, 10n % by]
  for (let left = power; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * square) % by
    square = (square * square) % by
  }
  return result
}
