/** Compares secrets, digests and signatures in constant time. */

import { timingSafeEqual } from 'node:crypto'

/** Whether two buffers are equal, in a time that reveals nothing about their bytes. Only a difference in length is answered sooner. */
export const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
