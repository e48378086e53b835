/**
 * Carries numbers through libraries that parse and write JSON themselves, and know only doubles: as texts that begin with a mark. The mark
 * is random, so that nobody can write a text that is taken for a number.
 */

import { randomUUID } from 'node:crypto'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { exactJson, isLongId, mapScalars } from './exact-json.ts'
import { ExactNumber } from './exact-number.ts'
import type { ExactJson, Json } from './json.ts'
import { longNumbersIn, withDigits } from './written-digits.ts'

/** Values with carried numbers go from thread to thread, so a thread has the mark of the one that started it. */
const markOf = 'mark of carried numbers'
const mark = String(getEnvironmentData(markOf) ?? `number-${randomUUID()}:`)
setEnvironmentData(markOf, mark)

/** A carried number in YAML, in JSON, or in JSON that is itself a text of JSON, where its quotes are escaped. */
const carriedNumber = new RegExp(`(\\\\*["'])?${mark}(-?[\\d.eE+-]+)\\1`, 'g')

/** Returns a value with its exact numbers as marked texts. */
export const carryNumbers = (value: ExactJson): Json =>
  mapScalars(value, (scalar) => (scalar instanceof ExactNumber ? mark + scalar.text : scalar)) as Json

/** Returns a value with its numbers past 2^53 as marked texts, as far as it is known how they are written. */
export const carryDigits = (value: Json): Json => (longNumbersIn(value).length > 0 ? carryNumbers(withDigits(value)) : value)

/** Parses JSON that a person wrote, with marked texts for its whole numbers past 2^53. Throws where `JSON.parse` throws. */
export const carriedJson = (text: string): Json =>
  mapScalars(exactJson(text), (scalar) => {
    if (!(scalar instanceof ExactNumber)) return scalar
    return isLongId(scalar) ? mark + scalar.text : scalar.toNumber()
  }) as Json

/** Returns a value with the nearest doubles for its marked texts. */
export const roundedCarried = (value: Json): Json =>
  mapScalars(value, (scalar) =>
    typeof scalar === 'string' && scalar.startsWith(mark) ? Number(scalar.slice(mark.length)) : scalar,
  ) as Json

/**
 * Returns a text of JSON with marked texts for the numbers that a double does not represent exactly. Any other text is returned as it is.
 */
export const carryNumbersIn = (text: string): string => {
  try {
    return JSON.stringify(carryNumbers(exactJson(text)))
  } catch {
    return text
  }
}

/** Returns a value with the numbers that its marked texts stand for. */
export const numbersCarried = (value: Json): ExactJson =>
  mapScalars(value, (scalar) =>
    typeof scalar === 'string' && scalar.startsWith(mark) ? new ExactNumber(scalar.slice(mark.length)) : scalar,
  )

/** Returns a text of JSON or YAML with the numbers that its marked texts stand for, also of those in texts of JSON inside. */
export const writeCarriedNumbers = (text: string): string => (text.includes(mark) ? text.replace(carriedNumber, '$2') : text)
