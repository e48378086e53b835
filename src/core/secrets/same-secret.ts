/** Compares secrets. */

import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Whether two texts are equal. The time that this takes does not tell how much of a guess was right: hashes are compared, because a
 * comparison in constant time takes only values of one length.
 */
export const isSameSecret = (shown: string, secret: string): boolean =>
  timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', secret, 'buffer'))
