/** Compares a value of an event with a bound: a number, a time, or the length of a list, map or text (rules: Filters 17). */

import { compareNumbers } from '../core/exact-number.ts'
import { type ExactJson, isObject } from '../core/json.ts'
import { isNumber } from './equal.ts'

/** What a bound is compared with. */
export type Measure = 'number' | 'time' | 'length'

/** Returns a number below 0, 0 or above 0, as the value is below, at or above the bound; `undefined` for a value that has no such measure. */
type Compare = (value: ExactJson | undefined) => number | undefined

/** A point in time: the seconds since 1970 in UTC, and the digits behind their point, without zeros at the end. */
type Time = { readonly seconds: number; readonly fraction: string }

const timeForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d{1,30}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/

/** Reads a date, which is its midnight in UTC, or a date-time (RFC 3339); `undefined` for any other text. */
const timeOf = (text: string): Time | undefined => {
  const [, year, month, day, hours = 0, minutes = 0, second = 0, fraction = '', sign, offHours = 0, offMinutes = 0] =
    timeForm.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // A day that its month does not have becomes one of the next month.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return undefined
  const offset = (Number(offHours) * 60 + Number(offMinutes)) * (sign === '-' ? -60 : 60)
  const seconds = date.getTime() / 1000 + Number(hours) * 3600 + Number(minutes) * 60 + Number(second) - offset
  return { seconds, fraction: fraction.replace(/0+$/, '') }
}

const compareTimes = (a: Time, b: Time): number => a.seconds - b.seconds || (a.fraction < b.fraction ? -1 : Number(a.fraction > b.fraction))

/** Returns the number of characters of a text; where that is surely below or above the bound, a number on the same side. */
const charactersOf = (text: string, bound: number): number => {
  // A character has one or two UTF-16 units.
  if (text.length < bound || text.length > 2 * bound) return text.length
  let count = 0
  for (let i = 0; i < text.length; count++) i += (text.codePointAt(i) as number) > 0xffff ? 2 : 1
  return count
}

const lengthOf = (value: ExactJson | undefined, bound: number): number | undefined => {
  if (typeof value === 'string') return charactersOf(value, bound)
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : undefined
}

/** Compiles a bound: a number, a text that is a time, or a map with a `length`; `undefined` for anything else. */
export const compileBound = (bound: ExactJson): { readonly of: Measure; readonly compare: Compare } | undefined => {
  if (isNumber(bound)) return { of: 'number', compare: (value) => (isNumber(value) ? compareNumbers(value, bound) : undefined) }
  if (typeof bound === 'string') {
    const time = timeOf(bound)
    if (!time) return undefined
    const compare: Compare = (value) => {
      const other = typeof value === 'string' ? timeOf(value) : undefined
      return other && compareTimes(other, time)
    }
    return { of: 'time', compare }
  }
  const length = isObject(bound) ? bound.length : undefined
  if (typeof length !== 'number') return undefined
  const compare: Compare = (value) => {
    const other = lengthOf(value, length)
    return other === undefined ? undefined : other - length
  }
  return { of: 'length', compare }
}
