/**
 * Reads single values of a body that nobody vouched for. A stranger may send a megabyte that takes long to parse, although the signature in
 * it has some hundred bytes.
 */

import { isAscii } from 'node:buffer'
import type { Json } from '../../core/json.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { type Path, walkJson } from './walk-json.ts'

/** The most keys and items on the way. A list has some hundred notifications, a map some twenty keys. */
const maxEntries = 5_000
/**
 * The most bytes of values that take long to decode: with escapes, or not ASCII. The longest message that a sender signs in pieces has 256
 * KiB (https://docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html), and each character may be an escape of two bytes.
 */
const maxSlowBytes = 557_056
const quote = 0x22
const backslash = 0x5c

/**
 * Returns the values at these paths, as JSON without anything else; `undefined` where reading them would take long: more than 5,000 keys
 * and items on the way, or values of more than 544 KiB that are not plain ASCII. The bytes may be malformed, so the caller must read all of
 * them afterwards.
 */
export const pickJson = (body: Buffer, paths: readonly Path[]): Json | undefined => {
  let left = maxSlowBytes
  const valueAt = (from: number, to: number): Json => {
    const value = body.subarray(from, to)
    if (isPlain(value)) return value[0] === quote ? value.toString('latin1', 1, value.length - 1) : parseValue(value)
    left -= value.length
    return left < 0 ? null : parseValue(value)
  }
  const found = walkJson(body, paths, { valueAt, maxEntries })
  return left < 0 ? undefined : found
}

const isPlain = (value: Buffer): boolean => isAscii(value) && !value.includes(backslash)

const parseValue = (value: Buffer): Json => {
  try {
    return JSON.parse(decodeUtf8(value) ?? '') as Json
  } catch {
    return null
  }
}
