/** Compares secrets in constant time. */

import { timingSafeEqual } from 'node:crypto'

/** Whether bytes are equal, in a time that reveals nothing about them. Only a difference in length is answered sooner. */
export const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
