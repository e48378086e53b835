/** Signs and checks by the algorithms that a description can name. */

import { createPrivateKey, createVerify, type KeyObject, sign, verify } from 'node:crypto'
import type { SignatureScheme } from '../../../../generated/config.ts'
import { equal } from '../equal.ts'
import { type HmacHash, HmacKey } from '../hmac-key.ts'
import type { KeyType } from './keys.ts'

export type Algorithm = SignatureScheme['algorithm']

const hashes: { readonly [algorithm in Algorithm]?: HmacHash } = { hmac_sha256: 'sha256', hmac_sha512: 'sha512', hmac_sha1: 'sha1' }
const asymmetric: { readonly [algorithm in Algorithm]?: { readonly type: KeyType; readonly hash: string | null } } = {
  ed25519: { type: 'ed25519', hash: null },
  ecdsa_p256: { type: 'ec', hash: 'sha256' },
  rsa_sha256: { type: 'rsa', hash: 'sha256' },
  rsa_sha1: { type: 'rsa', hash: 'sha1' },
}

export const isHmac = (algorithm: Algorithm): boolean => algorithm in hashes
/** The type of key that an algorithm checks with; `undefined` for one with a shared secret. */
export const keyTypeOf = (algorithm: Algorithm): KeyType | undefined => asymmetric[algorithm]?.type

export const hmacKey = (algorithm: Algorithm, bytes: Buffer): HmacKey => new HmacKey(hashes[algorithm] as HmacHash, bytes)

/** Whether one of the signatures is that of the text. */
export const holds = (
  algorithm: Algorithm,
  key: KeyObject | HmacKey,
  pieces: readonly Buffer[],
  signatures: readonly Buffer[],
): boolean => {
  if (key instanceof HmacKey) {
    const digest = key.digest(pieces)
    return signatures.some((signature) => equal(signature, digest))
  }
  const { hash } = asymmetric[algorithm] as { readonly hash: string | null }
  return signatures.some((signature) => verified(hash, pieces, key, signature))
}

/** Where a long text is put together for a check: memory that is new costs more than the check. It is wiped after each. */
const longText = Buffer.alloc(1_114_112)

const inOnePiece = (pieces: readonly Buffer[]): Buffer => {
  let end = 0
  for (const piece of pieces) end += piece.length
  if (end > longText.length) return Buffer.concat(pieces, end)
  let at = 0
  for (const piece of pieces) at += piece.copy(longText, at)
  return longText.subarray(0, end)
}

const verifiedWhole = (pieces: readonly Buffer[], key: KeyObject, signature: Buffer): boolean => {
  const text = inOnePiece(pieces)
  try {
    return verify(null, text, key, signature)
  } finally {
    text.fill(0)
  }
}

/** Node throws for some malformed signatures, and says no to the others. A hash reads the pieces in a row, so that a long text is not copied. */
const verified = (hash: string | null, pieces: readonly Buffer[], key: KeyObject, signature: Buffer): boolean => {
  try {
    if (hash === null) return verifiedWhole(pieces, key, signature)
    const verifier = createVerify(hash)
    for (const piece of pieces) verifier.update(piece)
    return verifier.verify(key, signature)
  } catch {
    return false
  }
}

/** The signature of a text. `key`: that of an HMAC, or a private one in PEM; `undefined` where that is none of the algorithm's. */
export const signatureOf = (algorithm: Algorithm, key: Buffer | string, pieces: readonly Buffer[]): Buffer | undefined => {
  if (isHmac(algorithm)) return hmacKey(algorithm, typeof key === 'string' ? Buffer.from(key) : key).digest(pieces)
  const { type, hash } = asymmetric[algorithm] as { readonly type: KeyType; readonly hash: string | null }
  try {
    const made = createPrivateKey(key)
    return made.asymmetricKeyType === type ? sign(hash, Buffer.concat(pieces), made) : undefined
  } catch {
    return undefined
  }
}
