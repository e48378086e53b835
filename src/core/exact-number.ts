/** Numbers of JSON that a double does not represent exactly as their sender wrote them: ids past 2^53, `1.50`, `1e3`, thirty decimals. */

/**
 * A number as it was written, in a value that was read exactly (`exactJson`). Two of them are compared by `key`. A number that is not one of
 * these is a `number`.
 */
export class ExactNumber {
  // The text is a private field, because no path of a payload may lead into the object.
  readonly #text: string
  #key: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** The number as its sender wrote it. */
  get text(): string {
    return this.#text
  }

  /** The decimal value as a text, the same for all ways to write the value: `1.0` and `1` have one key, and so have `1e3` and `1000`. */
  get key(): string {
    this.#key ??= keyOf(this.text)
    return this.#key
  }

  /** Whether the number is written as a whole number: with digits alone. */
  get isDigits(): boolean {
    return digitsForm.test(this.text)
  }

  toString(): string {
    return this.text
  }

  /** Returns the nearest double, as `JSON.parse` does. */
  toNumber(): number {
    return Number(this.text)
  }
}

const digitsForm = /^-?\d+$/
/** A whole number above 0 that a double represents exactly, and that is written in one way only. */
const plainWhole = /^[1-9]\d{0,14}$/

/** Returns the key of a number (`ExactNumber.key`), also of one that a double represents exactly. */
export const numberKey = (value: number | ExactNumber): string => (typeof value === 'number' ? String(value) : value.key)

/** Whether a double represents a number of JSON exactly: the double is written as the number is, and no neighbour has the same double. */
export const isPlainNumber = (token: string): boolean => {
  if (plainWhole.test(token)) return true
  const value = Number(token)
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && String(value) === token
}

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Returns the key of a text that is a number of JSON; `undefined` for any other text. */
export const numberKeyOfText = (text: string): string | undefined =>
  // A plain whole number is its own key. Most numbers of long lists are ids, so they take the short way.
  plainWhole.test(text) ? text : /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? keyOf(text) : undefined

/** A decimal value: `digits` times ten to the power of `exponent`. The digits have no zero at either end; they are empty for zero. */
export type Decimal = { readonly sign: string; readonly digits: string; readonly exponent: number }

/** No sender means an exponent with more digits. Beyond, sums of exponents would be rounded themselves. */
const maxExponentDigits = 15

/** Returns the digits and the exponent of a number; `undefined` where its exponent is absurdly long. */
export const decimalOf = (number: number | ExactNumber | string): Decimal | undefined => {
  const text = number instanceof ExactNumber ? number.text : String(number)
  const [, sign = '', whole = '', fraction = '', power = '0'] = numberForm.exec(text) ?? []
  const all = whole + fraction
  let from = 0
  while (all[from] === '0') from++
  let to = all.length
  while (to > from && all[to - 1] === '0') to--
  if (from === to) return { sign: '', digits: '', exponent: 0 }
  if (power.length > maxExponentDigits) return undefined
  return { sign, digits: all.slice(from, to), exponent: Number(power) - fraction.length + (all.length - to) }
}

/** Returns a number below 0, 0 or above 0, as `a` is below, equal to or above `b`. */
export const compareNumbers = (a: number | ExactNumber, b: number | ExactNumber): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [decimalOf(a), decimalOf(b)]
  if (!left || !right) return Number(a) - Number(b)
  if (left.sign !== right.sign) return left.sign === '-' ? -1 : 1
  const size = left.digits === '' || right.digits === '' ? left.digits.length - right.digits.length : compareSizes(left, right)
  return left.sign === '-' ? -size : size
}

/** Compares two values without their signs. Neither is 0. */
const compareSizes = (a: Decimal, b: Decimal): number => {
  const points = a.digits.length + a.exponent - (b.digits.length + b.exponent)
  if (points !== 0) return points
  // The digits of both end in no zero. So where the digits of one begin those of the other, the shorter number is the lesser.
  return a.digits < b.digits ? -1 : Number(a.digits > b.digits)
}

/** The most digits of a double's shortest decimal. */
const maxDoubleDigits = 17
/** The most zeros that are written out at an end of a key. */
const maxZeros = 21

/**
 * Returns the key of a number. Where the value is that of a double's shortest decimal, the key is that decimal: other numbers have it as
 * their text. Never takes longer than the text is long: an exponent is not written out as zeros.
 */
const keyOf = (text: string): string => {
  const decimal = decimalOf(text)
  if (!decimal) return text.toLowerCase()
  const { sign, digits, exponent } = decimal
  if (digits === '') return '0'
  if (digits.length <= maxDoubleDigits) {
    const short = String(Number(text))
    const other = decimalOf(short)
    if (other?.digits === digits && other.exponent === exponent) return short
  }
  const point = digits.length + exponent
  if (exponent >= 0 && exponent <= maxZeros) return `${sign}${digits}${'0'.repeat(exponent)}`
  if (exponent < 0 && point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
  if (exponent < 0 && point > -maxZeros) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits}e${exponent}`
}
