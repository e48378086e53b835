/** Parses and checks JSON Web Tokens (RFC 7519): HS256 with the route's secret, or RS256 and ES256 with a key of a JWKS. */

import { type KeyObject, verify } from 'node:crypto'
import { type JsonObject, own, parseObject } from '../../../core/json.ts'
import type { HmacKey } from '../../../node-internals/hmac-key.ts'
import { isSameDigest } from '../../../secrets/same-secret.ts'
import { strictBytes } from './digits.ts'

/** The parts of a token. `signed`: the text that its signature covers. None of the parts has been verified. */
export type Token = { readonly header: JsonObject; readonly claims: JsonObject; readonly signed: string; readonly signature: Buffer }

/**
 * Parses a token; `undefined` where the text is malformed, or names rules in `crit` by which it must be read. We know none of these, so
 * such a token is refused (RFC 7515, 4.1.11). No text is long, because a head has at most 16 KiB.
 */
export const parseToken = (text: string): Token | undefined => {
  const parts = text.split('.', 4)
  const [head, body, signature] = parts.map((part) =>
    part.length > 0 && /^[\w-]+$/.test(part) ? Buffer.from(part, 'base64url') : undefined,
  )
  if (parts.length !== 3 || !head || !body || !signature) return undefined
  const [header, claims] = [parseObject(head.toString('utf8')), parseObject(body.toString('utf8'))]
  return header && claims && own(header, 'crit') === undefined
    ? { header, claims, signed: `${parts[0]}.${parts[1]}`, signature }
    : undefined
}

/** Whether the signature of a token is HS256 with this key, which was made of the secret. */
export const holdsWithSecret = ({ header, signed, signature }: Token, key: HmacKey): boolean =>
  header.alg === 'HS256' && isSameDigest(key.digest([Buffer.from(signed)]), signature)

const algorithmByKeyType: { readonly [type: string]: string } = { rsa: 'RS256', ec: 'ES256' }

/**
 * Whether the signature of a token is valid with this public key: RS256 for an RSA key, ES256 for a key on P-256. The type of the key
 * decides the algorithm, never the token.
 */
export const holdsWithKey = ({ header, signed, signature }: Token, key: KeyObject): boolean => {
  const algorithm = algorithmByKeyType[key.asymmetricKeyType ?? '']
  if (algorithm === undefined || header.alg !== algorithm) return false
  if (algorithm === 'ES256' && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false
  try {
    return verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature)
  } catch {
    return false
  }
}

/**
 * What the claims of a token are compared with. `issuer` and `audience`, where they are given, must be in the token. Its times may be
 * absent; `windowSeconds` is the tolerance for those that are there.
 */
export type ExpectedClaims = { readonly issuer: string | undefined; readonly audience: string | undefined; readonly windowSeconds: number }

/**
 * Returns the reason why the claims of a token are refused at the time `at`, in milliseconds; `undefined` when they are valid. Times are
 * numbers (RFC 7519, 2). Without `exp`, an `iat` must lie within the window around `at`. A token with neither is not refused for its age.
 */
export const whyNotClaimed = ({ claims }: Token, { issuer, audience, windowSeconds }: ExpectedClaims, at: number): string | undefined => {
  const now = at / 1000
  const [exp, nbf, iat] = [own(claims, 'exp'), own(claims, 'nbf'), own(claims, 'iat')]
  for (const [name, time] of Object.entries({ exp, nbf, iat }))
    if (time !== undefined && typeof time !== 'number') return `${name} of the token is no number`
  if (issuer !== undefined && own(claims, 'iss') !== issuer) return `iss of the token is not "${issuer}"`
  if (audience !== undefined && ![own(claims, 'aud')].flat().includes(audience)) return `aud of the token is not "${audience}"`
  if (typeof exp === 'number' && now > exp + windowSeconds) return 'the token has expired'
  if (typeof nbf === 'number' && now < nbf - windowSeconds) return 'the token is not valid yet'
  if (typeof exp !== 'number' && typeof iat === 'number' && Math.abs(now - iat) > windowSeconds) return 'the token was made at another time'
  return undefined
}

/** Returns the digest of the body that a claim of a token has; `undefined` where there is none, or it is malformed. */
export const claimedDigest = ({ claims }: Token, claim: string, encoding: 'hex' | 'base64' | 'base64url'): Buffer | undefined => {
  const text = own(claims, claim)
  return typeof text === 'string' ? strictBytes(text, encoding) : undefined
}
