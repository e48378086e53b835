/**
 * Says whether a number is a multiple of another, as people count: 19.99 is one of 0.01, though the quotient of the two doubles is no whole
 * number. Numbers count as their shortest decimal texts.
 */

/** A number as `digits × 10^exponent`; its digits do not end in 0. */
type Decimal = { readonly digits: bigint; readonly exponent: number }

const decimalOf = (value: number): Decimal => {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/0+$/, '')
  return { digits: BigInt(digits), exponent: Number(power) + whole.length - digits.length }
}

/** A decimal of so many digits is the only one of its length that is read as its double. */
const exact = 1e15
/** The most that `10^n` is a double exactly. */
const maxPower = 22

/**
 * Compiles the test for one factor above 0. `spend` is called before a test that takes as long as a hundred ordinary ones: such a test
 * counts in whole numbers of up to 700 digits.
 */
export const compileMultipleOf = (factor: number, spend: () => void): ((value: number) => boolean) => {
  const step = decimalOf(factor)
  const scale = 10 ** -step.exponent
  const digits = Number(step.digits)
  const isShort = step.exponent <= 0 && -step.exponent <= maxPower && digits < exact
  return (value) => {
    if (isShort) {
      const scaled = Math.round(value * scale)
      if (Math.abs(scaled) < exact) return scaled / scale === value && scaled % digits === 0
    }
    spend()
    return isMultiple(decimalOf(value), step)
  }
}

const isMultiple = (value: Decimal, step: Decimal): boolean => {
  const shift = value.exponent - step.exponent
  if (value.digits === 0n) return true
  // The digits of a value do not end in 0, so without these no power of ten is in them.
  return shift >= 0 && (value.digits * 10n ** BigInt(shift)) % step.digits === 0n
}
