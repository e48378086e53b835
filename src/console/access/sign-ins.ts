/**
 * The browsers that have signed in. A browser keeps two halves of a secret: the pages have one in their storage, which is of this port
 * alone, and the browser has the other in a cookie, which no script can read, but which goes to every port of this machine. So each
 * question must show both. The pages themselves need no sign-in.
 *
 * A sign-in ends with the console. Whoever listens on the port of a console that has ended is shown both halves by pages that are still
 * open, and could use them at the next console otherwise.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { printable } from '../../core/text.ts'
import { hashOf } from './hashed.ts'
import type { Right, User } from './users.ts'

/** A browser that has signed in. `name`: how the audit names it. */
export type SignIn = { readonly id: string; readonly name: string; readonly user: User; readonly rights: ReadonlySet<Right> }
/** What a browser keeps: `bearer` in the storage of the pages, `cookie` as a cookie. */
export type Halves = { readonly bearer: string; readonly cookie: string }

export interface SignIns {
  /** Signs a browser of a user in. Past the most sign-ins of the user, and of all users, the oldest ends. */
  add(user: User): Halves
  /** Returns the sign-in that both halves belong to. */
  find(halves: Halves): SignIn | undefined
  remove(signIn: SignIn): void
}

/** The hashes of the halves. `at`: when the browser signed in, by the clock's `monotonic`. */
type Open = { readonly signIn: SignIn; readonly bearer: Buffer; readonly cookie: Buffer; readonly at: number }

const maxOfUser = 16
const maxSignIns = 256

export const createSignIns = (clock: Pick<Clock, 'monotonic'>): SignIns => {
  let open: readonly Open[] = []
  return {
    add(user) {
      const halves = { bearer: randomBytes(32).toString('base64url'), cookie: randomBytes(32).toString('base64url') }
      const bearer = hashOf(halves.bearer)
      // The first digits of the hash do not help to guess a half.
      const id = bearer.toString('hex').slice(0, 8)
      const name = user.kind === 'code' ? `${user.name} ${id}` : `${user.kind}:${printable(user.name, 200)}`
      const signIn = { id, name, user, rights: user.rights }
      const isOfUser = ({ signIn: { user: other } }: Open): boolean => other.kind === user.kind && other.name === user.name
      const oldest = open.filter(isOfUser).length >= maxOfUser ? open.find(isOfUser) : undefined
      const added = { signIn, bearer, cookie: hashOf(halves.cookie), at: clock.monotonic() }
      open = [...open.filter((each) => each !== oldest), added].slice(-maxSignIns)
      return halves
    },
    find({ bearer, cookie }) {
      const [bearerHash, cookieHash] = [hashOf(bearer), hashOf(cookie)]
      const found = open.find((each) => timingSafeEqual(each.bearer, bearerHash))
      if (!found || !timingSafeEqual(found.cookie, cookieHash)) return undefined
      return clock.monotonic() - found.at < found.signIn.user.lastsMs ? found.signIn : undefined
    },
    remove({ id }) {
      open = open.filter(({ signIn }) => signIn.id !== id)
    },
  }
}
