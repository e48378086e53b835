/**
 * Masks values in the bytes of JSON by their paths. All other bytes stay: the digits of long numbers, repeated keys, blanks and the order
 * of keys.
 */

import { type Path, walkJson } from './walk-json.ts'

/** The mask of a value, as JSON. */
const jsonStars = Buffer.from('"***"')
const jsonNull = Buffer.from('null')

/**
 * Returns the bytes with a mask in the place of each text, number and boolean at one of the paths, or the same bytes where there is no such
 * value. Malformed JSON is masked up to its first error.
 */
export const maskJson = (bytes: Buffer, paths: readonly Path[]): Buffer => {
  const pieces: Buffer[] = []
  let copied = 0
  const valueAt = (from: number, to: number): null => {
    if (!bytes.subarray(from, to).equals(jsonNull)) {
      pieces.push(bytes.subarray(copied, from), jsonStars)
      copied = to
    }
    return null
  }
  walkJson(bytes, paths, { valueAt })
  return copied === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(copied)])
}
