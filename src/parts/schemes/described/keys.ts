/** Makes keys of a route's secret or public key. */

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { SchemeKey } from '../../../generated/config.ts'
import { bytesOf } from './digits.ts'

/** Returns the key of an HMAC; `undefined` when the secret is not encoded as described. */
export const secretKey = (secret: string, { encoding = 'text', prefix }: SchemeKey = {}): Buffer | undefined => {
  const bare = prefix !== undefined && secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined
  // A secret without the prefix was not made by the sender, which takes such a secret as text.
  if (encoding === 'text' || (prefix !== undefined && bare === undefined)) return textKey(bare ?? secret)
  return bytesOf(bare ?? secret, encoding)
}

const textKey = (text: string): Buffer | undefined => (text === '' ? undefined : Buffer.from(text))

export type KeyType = 'ed25519' | 'ec' | 'rsa'

/**
 * Parses a public key: PEM, or hex or base64 of the bare Ed25519 key or of a SubjectPublicKeyInfo. `undefined` when it is not of this type.
 */
export const publicKey = (text: string, type: KeyType): KeyObject | undefined => {
  const key = text.includes('-----BEGIN') ? makePublicKey({ key: text, format: 'pem' }) : fromBytes(text.trim(), type)
  if (key?.asymmetricKeyType !== type) return undefined
  return type === 'ec' && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1' ? undefined : key
}

const makePublicKey = (from: Parameters<typeof createPublicKey>[0]): KeyObject | undefined => {
  try {
    return createPublicKey(from)
  } catch {
    return undefined
  }
}

const ed25519Bytes = 32
/** The bytes before the 32 bytes of the key in a SubjectPublicKeyInfo of Ed25519 (RFC 8410, 4). */
const ed25519Head = Buffer.from('302a300506032b6570032100', 'hex')

const fromBytes = (text: string, type: KeyType): KeyObject | undefined => {
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    const bytes = bytesOf(text, encoding)
    if (!bytes) continue
    const spki = type === 'ed25519' && bytes.length === ed25519Bytes ? Buffer.concat([ed25519Head, bytes]) : bytes
    const key = makePublicKey({ key: spki, format: 'der', type: 'spki' })
    if (key) return key
  }
  return undefined
}

/** Parses a key of a JWKS (RFC 7517); `undefined` when it cannot be used. */
export const jwkKey = (jwk: { readonly [name: string]: unknown }): KeyObject | undefined =>
  makePublicKey({ key: jwk as never, format: 'jwk' })
