/**
 * Reads single values of a body that nobody vouched for. A stranger may send a megabyte that takes long to parse, and the signature inside is
 * some hundred bytes of it.
 */

import { isAscii } from 'node:buffer'
import type { Json } from '../../core/json.ts'
import { decodeJson } from '../../node-internals/decode-json.ts'
import { type Path, walkJson } from './walk-json.ts'

/** A list has some hundred notifications, a map some twenty keys. */
const maxEntries = 5_000
/**
 * Bytes that take long to decode: escapes, and what is not ASCII. The most that a sender signs in pieces is a message of 256 KiB
 * (https://docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html), in which each character may be an escape of two.
 */
const maxSlowBytes = 557_056
const quote = 0x22
const backslash = 0x5c

/**
 * What the bytes have at these paths, as JSON without anything else; `undefined` where that would take long to read: more than 5,000 keys and
 * items on the way, or values of more than 544 KiB that are not plain ASCII. The bytes need be no JSON: whoever takes what this gives reads
 * all of them afterwards.
 */
export const pickJson = (body: Buffer, paths: readonly Path[]): Json | undefined => {
  let left = maxSlowBytes
  const valueAt = (from: number, to: number): Json => {
    const value = body.subarray(from, to)
    if (isPlain(value)) return value[0] === quote ? value.toString('latin1', 1, value.length - 1) : parse(value)
    left -= value.length
    return left < 0 ? null : parse(value)
  }
  const found = walkJson(body, paths, { valueAt, maxEntries })
  return left < 0 ? undefined : found
}

const isPlain = (value: Buffer): boolean => isAscii(value) && !value.includes(backslash)

const parse = (value: Buffer): Json => {
  try {
    return JSON.parse(decodeJson(value) ?? '') as Json
  } catch {
    return null
  }
}
