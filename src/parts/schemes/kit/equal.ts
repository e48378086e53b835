/** Compares a signature or token with the right one, so that the time taken reveals nothing about the right one's bytes. */

import { timingSafeEqual } from 'node:crypto'

/** Compares bytes in constant time. Only a difference in length is answered sooner. */
export const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
