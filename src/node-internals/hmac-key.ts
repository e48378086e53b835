/**
 * Makes HMACs (RFC 2104) from two calls of Node's `hash`. Node's own `createHmac` makes an object outside of V8's heap for each digest, and
 * making and collecting that object costs more than the digest of a small body.
 */

import { createHmac, hash } from 'node:crypto'
import { isFast } from './forms.ts'

/** The hash functions, with their block sizes in bytes. */
const blocks = { sha1: 64, sha256: 64, sha512: 128 } as const
export type HmacHash = keyof typeof blocks

const maxBlockBytes = 128
const maxDigestBytes = 64
/** The most bytes of a text that are copied to be hashed. For a longer text the digest comes from `createHmac`. */
const maxCopiedBytes = 64 * 1024

/**
 * The inputs of the inner and the outer hash, shared by all keys. They are wiped after each digest, so no key and no body stays in them.
 */
const inner = Buffer.alloc(maxBlockBytes + maxCopiedBytes)
const outer = Buffer.alloc(maxBlockBytes + maxDigestBytes)

const byTwoHashes = isFast('hmac')

/** A key for HMACs. In the plain form (forms.ts), and for long texts, it calls `createHmac`. */
export class HmacKey {
  readonly #hash: HmacHash
  readonly #key: Buffer
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** The caller must not change the bytes of `key` afterwards. */
  constructor(hashName: HmacHash, key: Buffer) {
    const block = blocks[hashName]
    const short = key.length > block ? hash(hashName, key, 'buffer') : key
    this.#hash = hashName
    this.#key = key
    this.#inner = padded(short, block, 0x36)
    this.#outer = padded(short, block, 0x5c)
  }

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

/** Returns the key, filled up with zeros to `length` bytes, with each byte combined with `pad` by XOR. */
const padded = (key: Buffer, length: number, pad: number): Buffer => {
  const block = Buffer.alloc(length, pad)
  for (const [i, byte] of key.entries()) block[i] = byte ^ pad
  return block
}
