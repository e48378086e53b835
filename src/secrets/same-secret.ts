/** Compares secrets. */

import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Whether two texts are equal. The time of the comparison does not tell how much of a guess was right. The hashes of the texts are
 * compared, because a comparison in constant time takes only values of equal length.
 */
export const isSameSecret = (shown: string, secret: string): boolean =>
  timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', secret, 'buffer'))
