/**
 * Reads single values of a JSON body before its signature is checked: a signature in the body, and the other values that the check needs. A
 * stranger may send a megabyte that takes long to parse, although the check needs few values.
 */

import { isAscii } from 'node:buffer'
import { exactJson } from '../../core/exact-json.ts'
import type { ExactJson } from '../../core/json.ts'
import { type KeyPath, walkJson } from '../../core/walk-json.ts'
import { decodeUtf8 } from './decode-utf8.ts'

/** The most keys and items that one reading passes. The lists of senders have some hundred items, and their maps some twenty keys. */
const maxEntries = 5_000
/**
 * The most bytes of values that take long to decode, because they have escapes or are not ASCII. The longest message that a sender signs
 * field by field has 256 KiB (https://docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html), and each of its characters may be an
 * escape of two bytes. The other 32 KiB are for the values beside the message.
 */
const maxSlowBytes = 557_056
const quote = 0x22
const backslash = 0x5c

/**
 * Returns the payload with only the values at these paths; `undefined` where reading them would take long: more than 5,000 keys and items
 * on the paths, or more than 544 KiB of values with escapes or characters that are not ASCII. The bytes elsewhere may be malformed, so the
 * caller must read the whole body afterwards.
 */
export const pickJson = (body: Buffer, paths: readonly KeyPath[]): ExactJson | undefined => {
  let left = maxSlowBytes
  const valueAt = (from: number, to: number): ExactJson => {
    const value = body.subarray(from, to)
    if (isPlain(value)) return value[0] === quote ? value.toString('latin1', 1, value.length - 1) : parseValue(value)
    left -= value.length
    return left < 0 ? null : parseValue(value)
  }
  const found = walkJson(body, paths, { valueAt, maxEntries })
  return left < 0 ? undefined : found
}

const isPlain = (value: Buffer): boolean => isAscii(value) && !value.includes(backslash)

/** Parses one text, number or word of JSON; a malformed one is `null`. */
const parseValue = (value: Buffer): ExactJson => {
  try {
    return exactJson(decodeUtf8(value) ?? '')
  } catch {
    return null
  }
}
