/** Decodes a body, or a part of one, strictly as UTF-8. */

import { isAscii, isUtf8 } from 'node:buffer'
import { decodeWide } from '../../node-internals/decode-wide.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Returns the text of the bytes, without a byte order mark; `undefined` when the bytes are not UTF-8. */
export const decodeUtf8 = (body: Buffer): string | undefined => {
  // Bytes become a Latin-1 text faster than a text in UTF-8, and ASCII is the same in both.
  if (isAscii(body)) return body.toString('latin1')
  if (!isUtf8(body)) return undefined
  return decodeWide(body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body)
}
