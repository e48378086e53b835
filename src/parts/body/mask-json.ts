/** Masks values in JSON by their paths. Every other byte stays as it is written: digits, repeated keys, blanks, order. */

import { type Path, walkJson } from './walk-json.ts'

/** What stands in place of a value. */
const stars = Buffer.from('"***"')
const nothing = Buffer.from('null')

/**
 * The bytes with each text, number or boolean at one of the paths masked; the same bytes where there is none. What is no JSON is masked up to the
 * place where it is none.
 */
export const maskJson = (bytes: Buffer, paths: readonly Path[]): Buffer => {
  const pieces: Buffer[] = []
  let copied = 0
  const valueAt = (from: number, to: number): null => {
    if (!bytes.subarray(from, to).equals(nothing)) {
      pieces.push(bytes.subarray(copied, from), stars)
      copied = to
    }
    return null
  }
  walkJson(bytes, paths, { valueAt })
  return copied === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(copied)])
}
