/** The one way that schemes compare a signature or token with the right one. */

import { timingSafeEqual } from 'node:crypto'

/** Compares bytes in constant time. Only a difference in length can show. */
export const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
