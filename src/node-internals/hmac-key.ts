/**
 * HMACs as RFC 2104 defines them, made of two one-shot hashes. `createHmac` makes an object outside of the engine's heap for each digest.
 * Making and collecting that object costs more than the digest of a small body (DECISIONS.md, 97).
 */

import { createHmac, hash } from 'node:crypto'
import { isFast } from './forms.ts'

/** The hashes, with their block sizes in bytes. */
const blocks = { sha1: 64, sha256: 64, sha512: 128 } as const
export type HmacHash = keyof typeof blocks

const maxBlock = 128
const maxDigest = 64
/** The most bytes that are copied to be hashed. A longer text is hashed by `createHmac`. */
const maxCopied = 64 * 1024

/** The inputs of the two hashes, shared by all keys. They are wiped after each digest, so no key and no body stays in them. */
const inner = Buffer.alloc(maxBlock + maxCopied)
const outer = Buffer.alloc(maxBlock + maxDigest)

const byTwoHashes = isFast('hmac')

/** A key for HMACs. The plain form of its digest, which long texts take too, is `createHmac`. */
export class HmacKey {
  readonly #hash: HmacHash
  readonly #key: Buffer
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** `key` must not change afterwards. */
  constructor(hashName: HmacHash, key: Buffer) {
    const block = blocks[hashName]
    const short = key.length > block ? hash(hashName, key, 'buffer') : key
    this.#hash = hashName
    this.#key = key
    this.#inner = padded(short, block, 0x36)
    this.#outer = padded(short, block, 0x5c)
  }

  /** Returns the digest of the pieces, joined. */
  digest(pieces: readonly Buffer[]): Buffer {
    let end = this.#inner.length
    for (const piece of pieces) end += piece.length
    if (!byTwoHashes || end > inner.length) return this.#plain(pieces)
    let at = this.#inner.copy(inner)
    for (const piece of pieces) at += piece.copy(inner, at)
    const filled = this.#outer.copy(outer)
    const written = outer.write(hash(this.#hash, inner.subarray(0, end), 'hex'), filled, 'hex')
    const digest = Buffer.from(hash(this.#hash, outer.subarray(0, filled + written), 'hex'), 'hex')
    inner.fill(0, 0, end)
    outer.fill(0)
    return digest
  }

  #plain(pieces: readonly Buffer[]): Buffer {
    const hmac = createHmac(this.#hash, this.#key)
    for (const piece of pieces) hmac.update(piece)
    return hmac.digest()
  }
}

const padded = (key: Buffer, length: number, pad: number): Buffer => {
  const block = Buffer.alloc(length, pad)
  for (const [i, byte] of key.entries()) block[i] = byte ^ pad
  return block
}
