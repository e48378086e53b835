/**
 * Makes and parses the bytes of a stored request: its headers as JSON, then its body. Prompt and reply of an attempt are stored in this
 * form, too, with the headers `{}`. Path and query are stored as the header `:path`, and a method other than POST as `:method`, their names in
 * HTTP/2. No received header has such a name.
 */

import { isObject, type Json } from '../core/json.ts'
import { maskHeaders, maskQuery } from '../secrets/mask.ts'
import type { RawRequest } from './record.ts'

const pathName = ':path'
const methodName = ':method'

/** Returns the head of a request as it is stored, with its secrets masked. */
export const rawHead = ({ method, headers, pathAndQuery, signedIn }: RawRequest): string => {
  const head = maskHeaders(headers, signedIn)
  if (pathAndQuery !== undefined) head[pathName] = maskQuery(pathAndQuery)
  if (method !== undefined) head[methodName] = method
  return JSON.stringify(head)
}

/**
 * Parses a stored request, whose first `headBytes` bytes are its headers; `undefined` where the headers are damaged. The body of the result
 * is a view of `bytes`.
 */
export const parseRaw = (bytes: Buffer, headBytes: number): RawRequest | undefined => {
  try {
    const head: Json = JSON.parse(bytes.toString('utf8', 0, headBytes))
    if (!isObject(head)) return undefined
    const { [pathName]: pathAndQuery, [methodName]: method, ...headers } = head
    return {
      headers,
      body: bytes.subarray(headBytes),
      ...(typeof pathAndQuery === 'string' ? { pathAndQuery } : {}),
      ...(typeof method === 'string' ? { method } : {}),
    }
  } catch {
    return undefined
  }
}
