/**
 * The browsers that have signed in. A browser keeps two halves of a secret: the pages have one in their storage, which is of this port
 * alone, and the browser has the other in a cookie, which no script can read, but which goes to every port of this machine. So each
 * question must show both. The pages themselves need no sign-in.
 *
 * A sign-in ends with the console. Whoever listens on the port of a console that has ended is shown both halves by pages that are still
 * open, and could use them at the next console otherwise.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Clock, dayMs } from '../../core/clock.ts'

/** What a sign-in may do: look at events without their contents, see what senders and agents wrote, change something. */
export type Right = 'view' | 'payloads' | 'operate'

/** A browser that has signed in. `name`: how the audit names it. */
export type SignIn = { readonly name: string; readonly rights: ReadonlySet<Right> }
/** What a browser keeps: `bearer` in the storage of the pages, `cookie` as a cookie. */
export type Halves = { readonly bearer: string; readonly cookie: string }

export interface SignIns {
  /** Signs a browser in. Past the most sign-ins, the oldest ends. */
  add(): Halves
  /** Returns the sign-in that both halves belong to. */
  find(halves: Halves): SignIn | undefined
  remove(signIn: SignIn): void
}

/** The hashes of the halves. `at`: when the browser signed in, by the clock's `monotonic`. */
type Open = { readonly signIn: SignIn; readonly bearer: Buffer; readonly cookie: Buffer; readonly at: number }

/** How long a browser stays signed in, in milliseconds. */
export const signInMs = 30 * dayMs
const maxSignIns = 16

/** Whoever can run the console on a data directory can read and change all that the console can, so each of its browsers has all rights. */
const everything: ReadonlySet<Right> = new Set(['view', 'payloads', 'operate'])

const hashOf = (half: string): Buffer => hash('sha256', half, 'buffer')

export const createSignIns = (clock: Pick<Clock, 'monotonic'>): SignIns => {
  let open: readonly Open[] = []
  return {
    add() {
      const halves = { bearer: randomBytes(32).toString('base64url'), cookie: randomBytes(32).toString('base64url') }
      const bearer = hashOf(halves.bearer)
      // The first digits of the hash do not help to guess a half.
      const signIn = { name: `browser ${bearer.toString('hex').slice(0, 8)}`, rights: everything }
      open = [...open, { signIn, bearer, cookie: hashOf(halves.cookie), at: clock.monotonic() }].slice(-maxSignIns)
      return halves
    },
    find({ bearer, cookie }) {
      const [bearerHash, cookieHash] = [hashOf(bearer), hashOf(cookie)]
      const found = open.find((each) => timingSafeEqual(each.bearer, bearerHash))
      if (!found || !timingSafeEqual(found.cookie, cookieHash) || clock.monotonic() - found.at >= signInMs) return undefined
      return found.signIn
    },
    remove(signIn) {
      open = open.filter((each) => each.signIn !== signIn)
    },
  }
}
