/** The codes with which browsers sign in. A code is good for one sign-in of one user, within a minute. */

import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { hashOf } from '../../secrets/same-secret.ts'
import type { User } from './users.ts'

export interface Codes {
  /**
   * Makes a code of 128 random bits. `login`: the `login` cookie of the only browser that may show the code; absent where any browser may
   * show the code.
   */
  make(user: User, login?: string): string
  /**
   * Ends a code that a browser shows with its `login` cookies, and returns the user of the code. `undefined`: the code was not made within
   * the last minute, was shown before, or is for another browser.
   */
  take(code: string, logins: readonly string[]): User | undefined
}

/** How long a code is good, in milliseconds. */
const codeMs = 60_000
/** The most codes at a time. A further code ends the oldest. */
const maxCodes = 64

export const createCodes = (clock: Pick<Clock, 'monotonic'>): Codes => {
  /** The codes by their hashes, in hexadecimal. `at`: when the code was made. */
  const made = new Map<string, { readonly at: number; readonly user: User; readonly login: string | undefined }>()
  return {
    make(user, login) {
      const code = randomBytes(16).toString('base64url')
      for (const key of made.keys()) if (made.size >= maxCodes) made.delete(key)
      made.set(hashOf(code).toString('hex'), { at: clock.monotonic(), user, login })
      return code
    },
    take(code, logins) {
      const key = hashOf(code).toString('hex')
      const found = made.get(key)
      made.delete(key)
      if (!found || clock.monotonic() - found.at >= codeMs) return undefined
      return found.login === undefined || logins.includes(found.login) ? found.user : undefined
    },
  }
}
