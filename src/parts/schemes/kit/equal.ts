/** The only way that schemes compare what a stranger claims. */

import { timingSafeEqual } from 'node:crypto'

/** Constant time on bytes; only a difference in length shows. */
export const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
