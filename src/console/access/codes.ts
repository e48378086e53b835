/** The codes with which a browser signs in. Each is shown to a user of this machine, is good for one sign-in, and soon ends. */

import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'

export interface Codes {
  /** Makes a code of 128 random bits. */
  make(): string
  /** Takes a code that a browser shows: `true` once for each code that was made within the last minute. */
  take(code: string): boolean
}

/** How long a code is good, in milliseconds. */
const codeMs = 60_000
/** The most codes at a time. A further code ends the oldest. */
const maxCodes = 16

/** A code is looked up by its hash, so that the time of a look does not tell how much of a guess was right. */
const hashOf = (code: string): string => hash('sha256', code)

export const createCodes = (clock: Pick<Clock, 'monotonic'>): Codes => {
  /** The times at which codes were made, by the hashes of the codes. */
  const made = new Map<string, number>()
  return {
    make() {
      const code = randomBytes(16).toString('base64url')
      for (const key of made.keys()) if (made.size >= maxCodes) made.delete(key)
      made.set(hashOf(code), clock.monotonic())
      return code
    },
    take(code) {
      const key = hashOf(code)
      const at = made.get(key)
      made.delete(key)
      return at !== undefined && clock.monotonic() - at < codeMs
    },
  }
}
