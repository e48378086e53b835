/** Reads a date or a date-time (RFC 3339) digit by digit, because a pattern and a Date take ten times as long, and compares two of them. */

/** A point in time: the seconds since 1970 in UTC, and the text, whose fraction of a second ends at `end`, without zeros there. */
export type Time = { readonly seconds: number; readonly text: string; readonly end: number }

/** Where the digits of a fraction begin, and the most digits of it. */
const fractionFrom = 20
const maxFraction = 30
const daySeconds = 86_400
/** The days from the first of March of the year 0 to 1970. */
const daysTo1970 = 719_468

/** Returns the digit at a place, from 0 to 9. Where there is none, the result is not in this range, or NaN. */
const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 48
const isDigit = (digit: number): boolean => digit >= 0 && digit <= 9

/** Returns the number that two digits write; NaN where there are none. */
const pairAt = (text: string, at: number): number => {
  const tens = digitAt(text, at)
  const ones = digitAt(text, at + 1)
  return isDigit(tens) && isDigit(ones) ? tens * 10 + ones : Number.NaN
}

const daysOf = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Returns the seconds from 1970 to the midnight of the date with which the text begins; NaN where it begins with none. */
const midnightOf = (text: string): number => {
  const year = pairAt(text, 0) * 100 + pairAt(text, 2)
  const month = pairAt(text, 5)
  const day = pairAt(text, 8)
  if (text[4] !== '-' || text[7] !== '-' || !(month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month))) return Number.NaN
  // Counted from March, the leap day is the last of its year.
  const fromMarch = (month + 9) % 12
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return (years * 365 + leapDays + Math.floor((fromMarch * 153 + 2) / 5) + day - 1 - daysTo1970) * daySeconds
}

/** Returns the seconds of `HH:MM` at a place; NaN where there is none. */
const minutesAt = (text: string, at: number): number => {
  const hours = pairAt(text, at)
  const minutes = pairAt(text, at + 3)
  return hours <= 23 && minutes <= 59 && text[at + 2] === ':' ? hours * 3600 + minutes * 60 : Number.NaN
}

/** Returns the seconds by which the zone at the end of the text, which begins at a place, is before UTC; NaN where there is no zone. */
const offsetAt = (text: string, at: number): number => {
  const sign = text[at]
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : Number.NaN
  if (text.length !== at + 6 || (sign !== '+' && sign !== '-')) return Number.NaN
  return sign === '+' ? minutesAt(text, at + 1) : -minutesAt(text, at + 1)
}

/** Reads a date, which is its midnight in UTC, or a date-time (RFC 3339); `undefined` for any other text. */
export const timeOf = (text: string): Time | undefined => {
  const midnight = midnightOf(text)
  if (text.length === 10) return Number.isNaN(midnight) ? undefined : { seconds: midnight, text, end: fractionFrom }
  const second = pairAt(text, 17)
  const between = text[10]
  if ((between !== 'T' && between !== 't' && between !== ' ') || text[16] !== ':' || !(second <= 60)) return undefined
  let end = fractionFrom - 1
  let last = fractionFrom
  if (text[end] === '.') {
    for (end++; isDigit(digitAt(text, end)) && end <= fractionFrom + maxFraction; end++) if (text[end] !== '0') last = end + 1
    if (end === fractionFrom || end > fractionFrom + maxFraction) return undefined
  }
  const seconds = midnight + minutesAt(text, 11) + second - offsetAt(text, end)
  return Number.isNaN(seconds) ? undefined : { seconds, text, end: last }
}

/** Returns a number below 0, 0 or above 0, as `a` is before, at or after `b`. */
export const compareTimes = (a: Time, b: Time): number => a.seconds - b.seconds || compareFractions(fractionOf(a), fractionOf(b))

const fractionOf = ({ text, end }: Time): string => text.slice(fractionFrom, end)
const compareFractions = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
