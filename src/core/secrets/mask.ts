/** Masks what is named like a secret, before settings are shown or headers are kept. */

import { createHash } from 'node:crypto'
import { isObject, type Json } from '../json.ts'
import { namesRequestSecret, namesSettingSecret, replaceSecretParameters } from './secret-names.ts'

/** What stands for a secret of a request. */
export const stars = '***'

/** The first 8 hex digits of the SHA-256: enough to see whether two secrets are equal. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8)

/**
 * A copy of a request's headers with the values of those that name a secret masked, but not of those in `open`. The others stay, because a replay's
 * filters may read them.
 */
export const maskHeaders = <Value>(
  headers: Readonly<Record<string, Value>>,
  open: readonly string[] = [],
): Record<string, Value | typeof stars> => {
  // A spread makes own properties of all names, so that a header named `__proto__` changes no prototype.
  const masked: Record<string, Value | typeof stars> = { ...headers }
  // V8 compiles an assignment for the hidden class of one sender's headers, and throws the code away, with all around it, for the next sender's.
  for (const name of Object.keys(masked)) if (namesRequestSecret(name) && !open.includes(name)) Reflect.set(masked, name, stars)
  return masked
}

/** A copy of settings with the values of all keys that name a secret masked, and what lets in of each address. */
export const maskJson = (value: Json): Json => {
  if (typeof value === 'string') return maskAddress(value)
  if (Array.isArray(value)) return value.map(maskJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, namesSettingSecret(key) ? maskAll(item) : maskJson(item)]))
}

/** Whether a text is what stands for a hidden one. */
export const isMask = (text: string): boolean => /^\*\*\*(?: \([0-9a-f]{8}\))?$/.test(text)

/** Whether a text stands for one of which a part or all is hidden. */
export const hidesPart = (text: string): boolean => isMask(text) || (isAddress.test(text) && /\/\/\*\*\*@|=\*\*\*(?:[&#]|$)/.test(text))

const isAddress = /^https?:\/\//i

const maskAddress = (text: string): string =>
  isAddress.test(text) ? replaceSecretParameters(text.replace(/(?<=^https?:\/\/)[^\s/?#{]+(?=@)/i, stars), () => stars) : text

const maskAll = (value: Json): Json => {
  if (typeof value === 'string') return value === '' ? '' : `${stars} (${fingerprint(value)})`
  if (Array.isArray(value)) return value.map(maskAll)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item)]))
  return stars
}
