/**
 * Masks secrets in bytes of JSON by the paths of their values. All other bytes stay: the digits of long numbers, repeated keys, blanks and the order
 * of keys.
 */

import { stars } from '../core/secret-names.ts'
import { type KeyPath, walkJson } from '../core/walk-json.ts'

const jsonNull = Buffer.from('null')

/** `shown`: the text in the place of a value. `wholes`: whether maps and lists are masked, too, besides texts, numbers and booleans. */
export type Mask = { readonly shown: string; readonly wholes?: boolean }

export const starMask: Mask = { shown: stars }

/**
 * Returns the bytes with a mask in the place of each value at one of the paths, or the same bytes where there is no such value. Malformed
 * JSON is masked up to its first error.
 */
export const maskJsonBytes = (bytes: Buffer, paths: readonly KeyPath[], { shown, wholes = false }: Mask = starMask): Buffer => {
  const mask = Buffer.from(JSON.stringify(shown))
  const pieces: Buffer[] = []
  let copied = 0
  const valueAt = (from: number, to: number): null => {
    if (!bytes.subarray(from, to).equals(jsonNull)) {
      pieces.push(bytes.subarray(copied, from), mask)
      copied = to
    }
    return null
  }
  walkJson(bytes, paths, { valueAt, wholes, singles: true })
  return copied === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(copied)])
}
