/** Masks values in JSON by their paths. All other bytes stay: digits, repeated keys, blanks, order. */

import { type Path, walkJson } from './walk-json.ts'

/** The mask of a value. */
const jsonStars = Buffer.from('"***"')
const jsonNull = Buffer.from('null')

/**
 * Returns the bytes with each text, number or boolean at one of the paths masked, or the same bytes where there is none. Malformed JSON is
 * masked up to its first error.
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
