/** Numbers as the fuzzer makes and compares them: as decimal texts and whole numbers of any length, never as doubles. */

/** Returns numbers below `below`, the same ones for each seed. */
export type Random = (below: number) => number

/** The generator mulberry32. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A number: `units` times ten to the power of `power`. */
type Decimal = { readonly units: bigint; readonly power: number }

const decimalOf = (text: string): Decimal => {
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) as RegExpExecArray
  return { units: BigInt(`${sign}${whole}${fraction}`), power: Number(power) - fraction.length }
}

/** Returns a number below 0, 0 or above 0, as the value of `a` is below, equal to or above that of `b`. */
export const compare = (a: string, b: string): number => {
  const [x, y] = [decimalOf(a), decimalOf(b)]
  const power = Math.min(x.power, y.power)
  const difference = x.units * 10n ** BigInt(x.power - power) - y.units * 10n ** BigInt(y.power - power)
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** Whether two numbers have one value. */
export const areEqual = (a: string, b: string): boolean => compare(a, b) === 0

const digits = (random: Random, length: number): string =>
  Array.from({ length }, (_, i) => String(i === 0 ? 1 + random(9) : random(10))).join('')

/** Makes a number as a sender may write it: plain ones, ids past 2^53, money, exponents, thirty decimals. */
export const someNumber = (random: Random): string => {
  const sign = random(5) === 0 ? '-' : ''
  const whole = random(6) === 0 ? '0' : digits(random, 1 + random(random(3) === 0 ? 30 : 6))
  const fraction = random(3) === 0 ? `.${String(random(1000)).padStart(1 + random(random(4) === 0 ? 25 : 3), '0')}` : ''
  const power = random(6) === 0 ? `${random(2) ? 'e' : 'E'}${['', '+', '-'][random(3)]}${random(random(4) === 0 ? 330 : 8)}` : ''
  return `${sign}${random(4) === 0 ? String(9007199254740990n + BigInt(random(40))) : whole}${fraction}${power}`
}

/** Writes the value of a number in another way. */
export const otherWriting = (text: string, random: Random): string => {
  const { units, power } = decimalOf(text)
  const zeros = random(4)
  const scaled = units * 10n ** BigInt(zeros)
  if (random(2) === 0 || power > 0 || power < -40) return `${scaled}e${power - zeros}`
  const sign = units < 0n ? '-' : ''
  const all = String(units < 0n ? -units : units).padStart(1 - power, '0')
  const at = all.length + power
  const [whole, fraction] = [all.slice(0, at), `${all.slice(at)}${'0'.repeat(zeros)}`]
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Returns a number that is next to another in its last digit. */
export const neighbourOf = (text: string, random: Random): string => {
  const { units, power } = decimalOf(text)
  const next = units + (random(2) === 0 ? 1n : -1n)
  return power === 0 ? String(next) : `${next}e${power}`
}
