/**
 * The browsers that have signed in. A sign-in has a secret of two halves, and each question must show both halves. The pages keep the first
 * half in their storage, which belongs to this port alone. The browser keeps the second half as a cookie, which no script can read, but
 * which the browser sends to every port of this machine. The pages themselves need no sign-in.
 *
 * A sign-in ends with the console. After the end of the console, another program may listen on its port, and pages that are still open
 * would show this program both halves. The next console must not believe such halves.
 */

import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { printable } from '../../core/text.ts'
import { hashOf, isSameDigest } from '../../secrets/same-secret.ts'
import type { Right, User } from './users.ts'

/** The sign-in of a browser. `name`: the name of the sign-in in the audit. */
export type SignIn = { readonly id: string; readonly name: string; readonly user: User; readonly rights: ReadonlySet<Right> }
/** The two halves of the secret. `bearer`: the half in the storage of the pages. `cookie`: the half in the cookie. */
type CredentialPair = { readonly bearer: string; readonly cookie: string }

export interface SignIns {
  /**
   * Signs a browser of a user in. Where the user, or all users together, have the most sign-ins that are allowed, the oldest of these ends.
   */
  add(user: User): CredentialPair
  /** Returns the sign-in that this pair of credentials belongs to; `undefined` where there is none, or its time is over. */
  find(halves: CredentialPair): SignIn | undefined
  remove(signIn: SignIn): void
  /**
   * Calls `end` once when the sign-in ends: for what goes on without a further question. The returned function cancels this.
   */
  onEnd(signIn: SignIn, end: () => void): () => void
}

/** A sign-in with the hashes of its halves. `at`: the monotonic time at which the browser signed in. */
type Open = { readonly signIn: SignIn; readonly bearer: Buffer; readonly cookie: Buffer; readonly at: number }

const maxOfUser = 16
const maxSignIns = 256

export const createSignIns = (clock: Pick<Clock, 'monotonic' | 'after'>): SignIns => {
  let open: readonly Open[] = []
  const ends = new Set<{ readonly id: string; readonly end: () => void }>()
  /** Replaces the open sign-ins, and ends those that are no longer among them. */
  const keep = (kept: readonly Open[]): void => {
    open = kept
    for (const { id, end } of ends) if (!open.some(({ signIn }) => signIn.id === id)) end()
  }
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
      keep([...open.filter((each) => each !== oldest), added].slice(-maxSignIns))
      return halves
    },
    find({ bearer, cookie }) {
      const [bearerHash, cookieHash] = [hashOf(bearer), hashOf(cookie)]
      const found = open.find((each) => isSameDigest(each.bearer, bearerHash))
      if (!found || !isSameDigest(found.cookie, cookieHash)) return undefined
      return clock.monotonic() - found.at < found.signIn.user.lastsMs ? found.signIn : undefined
    },
    remove({ id }) {
      keep(open.filter(({ signIn }) => signIn.id !== id))
    },
    onEnd({ id }, end) {
      const found = open.find(({ signIn }) => signIn.id === id)
      const cancel = (): void => {
        cancelTimer()
        ends.delete(entry)
      }
      const entry = {
        id,
        end: () => {
          cancel()
          end()
        },
      }
      const leftMs = found ? found.at + found.signIn.user.lastsMs - clock.monotonic() : 0
      const cancelTimer = clock.after(Math.max(0, leftMs), entry.end)
      ends.add(entry)
      return cancel
    },
  }
}
