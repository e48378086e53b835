/** Compares a secret with what a request shows, in a time that does not reveal how much of it is right. */

import { hash, timingSafeEqual } from 'node:crypto'

/** Returns the SHA-256 of a secret, so that the time of a search for it does not reveal how much of a guess was right. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/**
 * Whether two texts or byte strings are equal. The time of the comparison does not reveal how much of a guess was right. The hashes are
 * compared, because a comparison in constant time takes only values of equal length.
 */
export const isSameSecret = (shown: string | Uint8Array, secret: string | Uint8Array): boolean =>
  timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', secret, 'buffer'))

/**
 * Whether two digests or signatures are equal, in a time that reveals nothing about their bytes. Only a difference in length, which is no
 * secret of a digest, is answered sooner.
 */
export const isSameDigest = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
