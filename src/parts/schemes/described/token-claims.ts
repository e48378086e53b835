/** JSON Web Tokens (RFC 7519) as signatures: HS256 with the route's secret, or RS256 and ES256 with a key of a JWKS. */

import { type KeyObject, verify } from 'node:crypto'
import { type JsonObject, own, parseObject } from '../../../core/json.ts'
import type { HmacKey } from '../../../node-internals/hmac-key.ts'
import { equal } from '../kit/equal.ts'
import { bytesOf } from './digits.ts'

/** The parts of a token. None of them has been verified. */
export type Token = { readonly header: JsonObject; readonly claims: JsonObject; readonly signed: string; readonly signature: Buffer }

const maxChars = 16_384

export const parseToken = (text: string): Token | undefined => {
  const parts = text.length > maxChars ? [] : text.split('.')
  const [head, body, signature] = parts.map((part) =>
    part.length > 0 && /^[\w-]+$/.test(part) ? Buffer.from(part, 'base64url') : undefined,
  )
  if (parts.length !== 3 || !head || !body || !signature) return undefined
  const [header, claims] = [parseObject(head.toString('utf8')), parseObject(body.toString('utf8'))]
  return header && claims ? { header, claims, signed: `${parts[0]}.${parts[1]}`, signature } : undefined
}

/** Checks HS256 with a secret. */
export const holdsWithSecret = ({ header, signed, signature }: Token, key: HmacKey): boolean =>
  header.alg === 'HS256' && equal(key.digest([Buffer.from(signed)]), signature)

const algorithmByKeyType: { readonly [type: string]: string } = { rsa: 'RS256', ec: 'ES256' }

/** Checks RS256 or ES256. The key decides which, never the token. */
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

export type ExpectedClaims = { readonly issuer: string | undefined; readonly audience: string | undefined; readonly windowSeconds: number }

/**
 * Returns the reason why the claims are refused at this time, in milliseconds; `undefined` when they are valid. Times are numbers (RFC
 * 7519, 2). Without `exp`, `iat` must be within the window.
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
  if (typeof exp !== 'number' && typeof iat === 'number' && Math.abs(now - iat) > windowSeconds) return 'the token was made too long ago'
  return undefined
}

/** Returns the digest in a claim; `undefined` where there is none. */
export const claimedDigest = ({ claims }: Token, claim: string, encoding: 'hex' | 'base64' | 'base64url'): Buffer | undefined => {
  const text = own(claims, claim)
  return typeof text === 'string' ? bytesOf(text, encoding) : undefined
}
