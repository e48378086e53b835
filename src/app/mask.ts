/** Masks the values of keys that name a secret, before JSON is shown. */

import { createHash } from 'node:crypto'
import { isObject, type Json } from '../core/json.ts'

/** A pattern for the words by which a key names a secret. */
export const secretWords =
  'secret|token|passw|passphrase|credential|authorization|cookie|headers|service_account|webhook_url|(?:api|private|account|access)[_-]?key|[_-]key'
export const secretWord = new RegExp(secretWords, 'i')

const stars = '***'

/** The first 8 hex digits of the SHA-256: enough to see whether two secrets are equal. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8)

/** A copy with the values of all keys that name a secret masked. */
export const maskJson = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(maskJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, secretWord.test(key) ? maskAll(item) : maskJson(item)]))
}

/** Whether a text is what stands for a hidden one. */
export const isMask = (text: string): boolean => /^\*\*\*(?: \([0-9a-f]{8}\))?$/.test(text)

const maskAll = (value: Json): Json => {
  if (typeof value === 'string') return value === '' ? '' : `${stars} (${fingerprint(value)})`
  if (Array.isArray(value)) return value.map(maskAll)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item)]))
  return stars
}
