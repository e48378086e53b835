/**
 * Masks secrets by the names of their keys, headers and parameters, before settings are shown or headers are kept; and recognises masks.
 */

import { createHash } from 'node:crypto'
import { pathOf, queryText } from '../address/path-and-query.ts'
import { isObject, type Json } from '../json.ts'
import { keepDigits } from '../written-digits.ts'
import { namesProvider } from './program-secret.ts'
import {
  holdsSecrets,
  holdsWords,
  maskAddresses,
  namesParameterSecret,
  namesRequestSecret,
  namesSettingSecret,
  secretInWord,
} from './secret-names.ts'

/** The mask of a secret. */
export const stars = '***'

/** Returns the first 8 hex digits of a secret's SHA-256: enough to see whether two secrets are equal. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8)

/**
 * Returns a copy of a request's headers in which the value of each header that names a secret is masked. Headers that name no secret stay,
 * because the filters of a replay may read them. `open`: names of headers that stay although they name a secret.
 */
export const maskHeaders = <Value>(
  headers: Readonly<Record<string, Value>>,
  open: readonly string[] = [],
): Record<string, Value | typeof stars> => {
  // A spread makes an own property of every name, so a header named `__proto__` changes no prototype.
  const masked: Record<string, Value | typeof stars> = { ...headers }
  for (const name of Object.keys(masked)) if (namesRequestSecret(name) && !open.includes(name)) masked[name] = stars
  return masked
}

/**
 * Returns a path and its query in which the value of each parameter that `hides` is replaced. `hides` gets decoded names. Parts that no
 * condition reads, because the query has too many, are left out.
 */
export const maskQuery = (pathAndQuery: string, hides = namesParameterSecret, shown = stars): string => {
  const query = queryText(pathAndQuery)
  if (query === '') return pathAndQuery
  const masked = query
    .slice(1)
    .split('&')
    .map((part) => {
      const [[name, value] = ['', '']] = new URLSearchParams(part)
      return value !== '' && hides(name) ? `${part.split('=', 1)[0]}=${shown}` : part
    })
  return `${pathOf(pathAndQuery)}?${masked.join('&')}`
}

/** Returns the mask of a secret, with its fingerprint. An empty text is no secret, nor is what names the secret of a program. */
export const maskSecret = (secret: string): string =>
  secret === '' || namesProvider(secret) ? secret : `${stars} (${fingerprint(secret)})`

/**
 * Returns a copy of settings in which whatever is secret is masked: values of keys that name a secret, variables of programs, words of
 * commands, and credentials in web addresses. `maskOf` returns the mask of a secret, `shown` stands for a part of an address.
 */
export const maskJson = (value: Json, maskOf = maskSecret, shown = stars): Json => {
  if (typeof value === 'string') return maskAddress(value, shown)
  if (Array.isArray(value))
    return keepDigits(
      value,
      value.map((item) => maskJson(item, maskOf, shown)),
    )
  if (!isObject(value)) return value
  const masked = Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (namesSettingSecret(key) || (holdsSecrets(key) && isObject(item))) return [key, maskAll(item, maskOf)]
      const masked = maskJson(item, maskOf, shown)
      return [key, holdsWords(key) && Array.isArray(item) && Array.isArray(masked) ? maskWords(item, masked, maskOf) : masked]
    }),
  )
  return keepDigits(value, masked)
}

/** Masks the secrets in the words of a command. `masked`: the words, with masked addresses. */
const maskWords = (words: readonly Json[], masked: readonly Json[], maskOf: typeof maskSecret): Json[] =>
  words.map((word, i) => {
    const before = words[i - 1]
    const from = typeof word === 'string' ? secretInWord(word, typeof before === 'string' ? before : undefined) : undefined
    if (typeof word !== 'string' || from === undefined) return masked[i] ?? null
    return word.slice(0, from) + maskOf(word.slice(from))
  })

/** Whether a text is a mask. */
export const isMask = (text: string): boolean => /^\*\*\*\*?(?: \([0-9a-f]{8}\))?$/.test(text)

/** Whether a text is a mask, or an address with a masked part. */
export const containsMask = (text: string): boolean =>
  isMask(text) || (addressForm.test(text) && /\/\/\*\*\*@|=\*\*\*(?:[&#]|$)/.test(text))

const addressForm = /^(?:-{1,2}[\w.-]+=)?[a-z][\w+.-]*:\/\//i

/** A word of a command may have an option before its address: `--url=https://…`. */
const maskAddress = (text: string, shown: string): string => (addressForm.test(text) ? maskAddresses(text, shown) : text)

const maskAll = (value: Json, maskOf: typeof maskSecret): Json => {
  if (typeof value === 'string') return maskOf(value)
  if (Array.isArray(value)) return value.map((item) => maskAll(item, maskOf))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item, maskOf)]))
  return stars
}
