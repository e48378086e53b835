/**
 * Parses the bytes of a stored request: its headers as JSON, then its body. Prompt and reply of an attempt are stored in this form, too,
 * with the headers `{}`.
 */

import { isObject, type Json } from '../core/json.ts'
import type { RawRequest } from './record.ts'

/**
 * Parses a stored request, whose first `headBytes` bytes are its headers; `undefined` where the headers are damaged. The body of the result
 * is a view of `bytes`.
 */
export const parseRaw = (bytes: Buffer, headBytes: number): RawRequest | undefined => {
  try {
    const headers: Json = JSON.parse(bytes.toString('utf8', 0, headBytes))
    return isObject(headers) ? { headers, body: bytes.subarray(headBytes) } : undefined
  } catch {
    return undefined
  }
}
