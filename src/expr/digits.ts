/**
 * Finds the digits of numbers past 2^53 as their sender wrote them. `JSON.parse` has rounded such numbers. So for the first of them in an
 * event, the payload's text is parsed once more, with these numbers as strings.
 */

import { isObject, type Json, own } from '../core/json.ts'
import type { Event } from '../core/request.ts'
import { isLong, type JsonPath } from './render.ts'

const quoteMark = 0x22
const backslash = 0x5c

/** Returns the index after the string that opens at `from`. */
const afterString = (text: string, from: number): number => {
  let i = from + 1
  while (i < text.length) {
    const unit = text.charCodeAt(i)
    if (unit === quoteMark) return i + 1
    i += unit === backslash ? 2 : 1
  }
  return i
}

const startsNumber = (unit: number): boolean => unit === 0x2d || (unit >= 0x30 && unit <= 0x39)
/** Whether a unit may stand in a number: a digit, a sign, the point or the exponent. */
const inNumber = (unit: number): boolean => startsNumber(unit) || unit === 0x2e || unit === 0x2b || (unit | 0x20) === 0x65

const afterNumber = (text: string, from: number): number => {
  let i = from + 1
  while (i < text.length && inNumber(text.charCodeAt(i))) i++
  return i
}

/** Returns the JSON text with every long number as a string of its digits. */
const quoteLongNumbers = (text: string): string => {
  let out = ''
  let copied = 0
  let i = 0
  while (i < text.length) {
    const unit = text.charCodeAt(i)
    if (unit === quoteMark) i = afterString(text, i)
    else if (!startsNumber(unit)) i++
    else {
      const end = afterNumber(text, i)
      const token = text.slice(i, end)
      if ((token.length > 15 || /e/i.test(token)) && isLong(Number(token))) {
        out += `${text.slice(copied, i)}"${token}"`
        copied = end
      }
      i = end
    }
  }
  return out + text.slice(copied)
}

const parseKeepingDigits = (text: string): Json | undefined => {
  try {
    return JSON.parse(quoteLongNumbers(text)) as Json
  } catch {
    return undefined // The text is not JSON, so numbers are written as they were parsed.
  }
}

/** The second readings of payloads, by their events. */
const rereadEvents = new WeakMap<Event, { readonly tree: Json | undefined }>()

/** Returns the payload with long numbers as strings of their digits; `undefined` where the event's text is not JSON. */
const treeWithDigits = (event: Event): Json | undefined => {
  let known = rereadEvents.get(event)
  if (!known) {
    known = { tree: parseKeepingDigits(event.text) }
    rereadEvents.set(event, known)
  }
  return known.tree
}

const looksLikeNumber = /^-?\d[\d.eE+-]*$/

/** Returns the digits of the long number at `place` of the payload; `undefined` where the text has no long number of this `value` there. */
export const digitsOf = (event: Event, place: JsonPath, value: number): string | undefined => {
  let at: Json | undefined = treeWithDigits(event)
  for (const key of place) at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? own(at, String(key)) : undefined
  // The payload has a number here. The second reading has long numbers as strings of their digits.
  return typeof at === 'string' && looksLikeNumber.test(at) && Number(at) === value ? at : undefined
}
