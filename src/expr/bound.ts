/** Compares a value of an event with a bound: a number, a time, or the length of a list, map or text (rules: Filters 17). */

import { compareNumbers } from '../core/exact-number.ts'
import { type ExactJson, isObject } from '../core/json.ts'
import { isNumber } from './equal.ts'
import { compareTimes, timeOf } from './time.ts'

/** What a bound is compared with. */
export type Measure = 'number' | 'time' | 'length'

/** Returns a number below 0, 0 or above 0, as the value is below, at or above the bound; `undefined` for a value that has no such measure. */
type Compare = (value: ExactJson | undefined) => number | undefined

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
