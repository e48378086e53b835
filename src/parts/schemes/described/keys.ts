/** Makes the keys that check signatures, from the secret or the public key of a route, or from a JWKS. */

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { SchemeKey } from '../../../generated/config.ts'
import { strictBytes } from './digits.ts'

/**
 * Returns the bytes of the key of an HMAC; `undefined` when the secret has no key, or is not encoded as the description says. `prefix`: a
 * text that the sender puts before the key, and that is not part of the key.
 */
export const secretKey = (secret: string, { encoding = 'text', prefix }: SchemeKey = {}): Buffer | undefined => {
  const bare = prefix !== undefined && secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined
  // The sender did not make a secret without the prefix. So the secret is a text, whatever the encoding of the sender's keys is.
  if (encoding === 'text' || (prefix !== undefined && bare === undefined)) return textKey(bare ?? secret)
  return strictBytes(bare ?? secret, encoding)
}

const textKey = (text: string): Buffer | undefined => (text === '' ? undefined : Buffer.from(text))

export type KeyType = 'ed25519' | 'ec' | 'rsa'

/**
 * Parses a public key: PEM, or hex, base64 or base64url of a SubjectPublicKeyInfo or of the bare bytes of an Ed25519 key. `undefined` when
 * the text is no key of this type. An `ec` key must be of the curve P-256.
 */
export const publicKey = (text: string, type: KeyType): KeyObject | undefined => {
  const key = text.includes('-----BEGIN') ? makePublicKey({ key: text, format: 'pem' }) : decodedKey(text.trim(), type)
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
/** The bytes that stand before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410, 4). */
const ed25519Head = Buffer.from('302a300506032b6570032100', 'hex')

/** Parses a key that is not PEM. */
const decodedKey = (text: string, type: KeyType): KeyObject | undefined => {
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    const bytes = strictBytes(text, encoding)
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
