/**
 * The browsers that have signed in. A browser keeps two halves of a secret: the page has one in its storage, which is of this port alone,
 * and the browser has the other in a cookie, which no script can read, but which goes to every port of this machine. So each question must
 * show both. The pages themselves need no sign-in. The data directory has only their hashes, so that a browser stays signed in when the
 * console starts again.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../config/writing/replace-file.ts'
import { type Clock, dayMs } from '../../core/clock.ts'
import { isObject } from '../../core/json.ts'

/** The right to look at events without their contents, to see what senders and agents wrote, to change something. */
export type Right = 'view' | 'payloads' | 'operate'

/** A browser that has signed in. `name`: how the audit names it. */
export type SignIn = { readonly name: string; readonly rights: ReadonlySet<Right> }
/** What a browser keeps: `bearer` in the page, `cookie` as a cookie. */
export type Halves = { readonly bearer: string; readonly cookie: string }

export interface SignIns {
  /** Signs a browser in. Past the most sign-ins, the oldest ends. */
  add(): Promise<Halves>
  /** Returns the sign-in that both halves belong to. */
  find(halves: Halves): SignIn | undefined
  remove(signIn: SignIn): Promise<void>
}

/** Hashes in hexadecimal digits; `at`: when the browser signed in, in milliseconds since 1970. */
type Kept = { readonly bearer: string; readonly cookie: string; readonly at: number }

/** How long a browser stays signed in, in milliseconds. */
export const signInMs = 30 * dayMs
const maxSignIns = 16

const hashOf = (half: string): string => hash('sha256', half)
const isSame = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/**
 * Whoever can run the console on the data directory can read and change all that the console can, so a browser of that user has all rights.
 */
const everything: ReadonlySet<Right> = new Set(['view', 'payloads', 'operate'])

/** Opens the sign-ins of a data directory. */
export const openSignIns = (dataDir: string, clock: Pick<Clock, 'now'>): SignIns => {
  const file = join(dataDir, 'state', 'console.json')
  let kept = readKept(file)
  let written: Promise<void> = Promise.resolve()
  /** Replaces the list. The file is written by one call after the other, so the last list stays. */
  const keep = (next: readonly Kept[]): Promise<void> => {
    kept = next
    written = written.catch(() => {}).then(() => replaceFile(file, `${JSON.stringify({ sign_ins: kept })}\n`))
    return written
  }
  const isOpen = ({ at }: Kept): boolean => clock.now() - at < signInMs
  return {
    async add() {
      const halves = { bearer: randomBytes(32).toString('base64url'), cookie: randomBytes(32).toString('base64url') }
      const signedIn = { bearer: hashOf(halves.bearer), cookie: hashOf(halves.cookie), at: clock.now() }
      await keep([...kept.filter(isOpen), signedIn].slice(-maxSignIns))
      return halves
    },
    find({ bearer, cookie }) {
      const [bearerHash, cookieHash] = [hashOf(bearer), hashOf(cookie)]
      const found = kept.find((each) => isSame(each.bearer, bearerHash))
      return found && isSame(found.cookie, cookieHash) && isOpen(found) ? { name: nameOf(found), rights: everything } : undefined
    },
    remove: ({ name }) => keep(kept.filter((each) => nameOf(each) !== name)),
  }
}

/** Names a sign-in by the first digits of its hash, which do not help to guess its halves. */
const nameOf = ({ bearer }: Kept): string => `browser ${bearer.slice(0, 8)}`

/** A file that is missing or damaged has no sign-ins: every browser then has to sign in again. */
const readKept = (file: string): readonly Kept[] => {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isObject(content) && Array.isArray(content.sign_ins) ? content.sign_ins.filter(isKept) : []
  } catch {
    return []
  }
}

const isKept = (value: unknown): value is Kept =>
  isObject(value) && isHash(value.bearer) && isHash(value.cookie) && typeof value.at === 'number'

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
