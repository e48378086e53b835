/**
 * Masks secrets in values by the names of their keys, headers and parameters, before settings are shown or headers are kept; and recognises
 * masks. Texts are masked in redact.ts, bytes in mask-bytes.ts.
 */

import { createHash } from 'node:crypto'
import { pathOf, queryText } from '../core/address/path-and-query.ts'
import { isObject, type Json } from '../core/json.ts'
import { namesParameterSecret, namesRequestSecret, replaceParts, stars } from '../core/secret-names.ts'
import { keepDigits } from '../core/written-digits.ts'
import { namesProvider, type SecretPlace, secretParts, secretPlaceBelow, topOfSettings } from './secret-place.ts'

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
 * Returns a copy of settings in which whatever is secret at its place is masked. `maskOf` returns the mask of a whole secret, `shown` stands
 * for a part of an address. `place`: that of `value`.
 */
export const maskJson = (value: Json, maskOf = maskSecret, shown = stars, place = topOfSettings): Json => {
  const maskText = (text: string, at: SecretPlace, before?: Json): string =>
    replaceParts(text, secretParts(text, at, typeof before === 'string' ? before : undefined), (part, { isWhole }) =>
      isWhole ? maskOf(part) : shown,
    )
  if (typeof value === 'string') return maskText(value, place)
  if (Array.isArray(value)) {
    const below = secretPlaceBelow(place, undefined, false)
    const masked = value.map((item, i) =>
      typeof item === 'string' ? maskText(item, below, value[i - 1]) : maskJson(item, maskOf, shown, below),
    )
    return keepDigits(value, masked)
  }
  if (isObject(value))
    return keepDigits(
      value,
      Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, maskJson(item, maskOf, shown, secretPlaceBelow(place, key, isObject(item)))]),
      ),
    )
  return place.hides === 'all' || place.hides === 'shown' ? stars : value
}

export const isMask = (text: string): boolean => /^\*\*\*(?: \([0-9a-f]{8}\))?$/.test(text)

/** Whether a text is a mask, or an address with a masked part. */
export const containsMask = (text: string): boolean =>
  isMask(text) || (/^(?:-{1,2}[\w.-]+=)?[a-z][\w+.-]*:\/\//i.test(text) && /[/=]\*\*\*(?: \([0-9a-f]{8}\))?(?:[&#/?@]|$)/.test(text))
