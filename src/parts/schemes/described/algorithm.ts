/** Makes and checks HMACs, and signatures by a private key, with the algorithms that the description of a scheme can name. */

import { createPrivateKey, createVerify, type KeyObject, sign, verify } from 'node:crypto'
import { createSlots } from '../../../core/turns/slots.ts'
import type { SignatureScheme } from '../../../generated/config.ts'
import { type HmacHash, HmacKey } from '../../../node-internals/hmac-key.ts'
import { isSameDigest } from '../../../secrets/same-secret.ts'
import type { KeyType } from './keys.ts'

export type Algorithm = SignatureScheme['algorithm']

const hmacHashes: { readonly [algorithm in Algorithm]?: HmacHash } = { hmac_sha256: 'sha256', hmac_sha512: 'sha512', hmac_sha1: 'sha1' }
const publicKeyAlgorithms: { readonly [algorithm in Algorithm]?: { readonly type: KeyType; readonly hash: string | null } } = {
  ed25519: { type: 'ed25519', hash: null },
  ecdsa_p256: { type: 'ec', hash: 'sha256' },
  rsa_sha256: { type: 'rsa', hash: 'sha256' },
  rsa_sha1: { type: 'rsa', hash: 'sha1' },
}

export const isHmac = (algorithm: Algorithm): boolean => algorithm in hmacHashes
/** Returns the type of the public key that an algorithm checks with; `undefined` for an HMAC, a credential and a JSON Web Token. */
export const keyTypeOf = (algorithm: Algorithm): KeyType | undefined => publicKeyAlgorithms[algorithm]?.type

export const hmacKey = (algorithm: Algorithm, bytes: Buffer): HmacKey => new HmacKey(hmacHashes[algorithm] as HmacHash, bytes)

/** Whether one of the signatures is valid for a text, which comes in pieces. Never throws. */
export const signatureHolds = (
  algorithm: Algorithm,
  key: KeyObject | HmacKey,
  pieces: readonly Buffer[],
  signatures: readonly Buffer[],
): boolean => {
  if (key instanceof HmacKey) {
    const digest = key.digest(pieces)
    return signatures.some((signature) => isSameDigest(signature, digest))
  }
  const { hash } = publicKeyAlgorithms[algorithm] as { readonly hash: string | null }
  return signatures.some((signature) => isVerified(hash, pieces, key, signature))
}

/**
 * The most bytes of a text whose Ed25519 signature is checked on the event loop. Ed25519 hashes the text again for each key, a megabyte in
 * 1.2 ms. So a longer text is checked in Node's pool of threads.
 */
const maxBytesOnLoop = 65_536

const totalLength = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Whether signatures of these texts should be checked in the pool (`holdsInPool`): the algorithm is Ed25519, and a text is long. */
export const isForPool = (algorithm: Algorithm, texts: readonly (readonly Buffer[])[]): boolean =>
  publicKeyAlgorithms[algorithm]?.hash === null && texts.some((pieces) => totalLength(pieces) > maxBytesOnLoop)

/**
 * The buffer in which the pieces of a long text are joined for the pool: new memory would cost more than the check. The buffer is wiped
 * after each check.
 */
const longText = Buffer.alloc(1_114_112)
/**
 * Runs one check in the pool at a time. So strangers can occupy only one thread of the pool, and the other threads are left for the writes
 * of the store. The number of waiting checks has no limit here, because the memory of their bodies has one.
 */
const checksInPool = createSlots(() => 1, Number.POSITIVE_INFINITY)

const inOnePiece = (pieces: readonly Buffer[]): Buffer => {
  const end = totalLength(pieces)
  if (end > longText.length) return Buffer.concat(pieces, end)
  let at = 0
  for (const piece of pieces) at += piece.copy(longText, at)
  return longText.subarray(0, end)
}

/** Whether one of the Ed25519 signatures is valid for one of the texts. Checks in another thread. Never rejects. */
export const holdsInPool = async (
  key: KeyObject,
  texts: readonly (readonly Buffer[])[],
  signatures: readonly Buffer[],
): Promise<boolean> => {
  for (const pieces of texts) {
    for (const signature of signatures) if (await checksInPool.run(() => verifiedInPool(pieces, key, signature))) return true
  }
  return false
}

const verifiedInPool = (pieces: readonly Buffer[], key: KeyObject, signature: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    const text = inOnePiece(pieces)
    const end = (isSigned: boolean): void => {
      text.fill(0)
      resolve(isSigned)
    }
    try {
      verify(null, text, key, signature, (error, isSigned) => end(error === null && isSigned))
    } catch {
      end(false)
    }
  })

/**
 * Whether a signature is valid for a text under a public key. Node throws for some malformed signatures, and returns false for others. A
 * hash reads the pieces one by one, so that a long text is not copied.
 */
const isVerified = (hash: string | null, pieces: readonly Buffer[], key: KeyObject, signature: Buffer): boolean => {
  try {
    if (hash === null) return verify(null, Buffer.concat(pieces), key, signature)
    const verifier = createVerify(hash)
    for (const piece of pieces) verifier.update(piece)
    return verifier.verify(key, signature)
  } catch {
    return false
  }
}

/** Signs a text with the key of an HMAC, or with a private key in PEM; `undefined` where the private key does not fit the algorithm. */
export const makeSignature = (algorithm: Algorithm, key: Buffer | string, pieces: readonly Buffer[]): Buffer | undefined => {
  if (isHmac(algorithm)) return hmacKey(algorithm, typeof key === 'string' ? Buffer.from(key) : key).digest(pieces)
  const { type, hash } = publicKeyAlgorithms[algorithm] as { readonly type: KeyType; readonly hash: string | null }
  try {
    const made = createPrivateKey(key)
    return made.asymmetricKeyType === type ? sign(hash, Buffer.concat(pieces), made) : undefined
  } catch {
    return undefined
  }
}
