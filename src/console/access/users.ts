/** The users of the console and their rights. */

import type { ConsoleRoles } from '../../config/console/settings.ts'
import { dayMs, hourMs } from '../../core/clock.ts'

/** `view`: read events without their contents. `payloads`: read the texts of senders and agents. `operate`: change something. */
export type Right = 'view' | 'payloads' | 'operate'

/**
 * A user who may sign in. `kind`: the way in which the user has signed in. `lastsMs`: how long a sign-in lasts, in milliseconds. Where the
 * identity provider or the configuration gives the rights, the time is short, because the rights may change.
 */
export type User = {
  readonly kind: 'code' | 'forward' | 'oidc' | 'password'
  readonly name: string
  readonly rights: ReadonlySet<Right>
  readonly lastsMs: number
}

/**
 * The user of a code that a terminal of this machine shows. A user who can run the console on a data directory can read and change all that
 * the console can, so this user has all rights.
 */
export const ownUser: User = { kind: 'code', name: 'browser', rights: new Set(['view', 'payloads', 'operate']), lastsMs: 30 * dayMs }

const lastsMs = 12 * hourMs
const maxNameLength = 200

/** Returns a user with the rights of its roles; `undefined` for a user without a role, and for a name that is empty or too long. */
export const userOf = (
  kind: User['kind'],
  name: string,
  groups: readonly string[],
  { viewer, operator, payloads }: ConsoleRoles,
): User | undefined => {
  // A group may have the name `user:ada`. Such a group must not pass for the user `ada`.
  const names = new Set(['*', `user:${name}`, ...groups.filter((group) => !group.startsWith('user:'))])
  const isAmong = (listed: readonly string[]): boolean => listed.some((each) => names.has(each))
  const operates = isAmong(operator)
  if (name === '' || name.length > maxNameLength || !(operates || isAmong(viewer))) return undefined
  const rights: Right[] = ['view', ...(operates ? ['operate' as const] : []), ...(isAmong(payloads) ? ['payloads' as const] : [])]
  return { kind, name, rights: new Set(rights), lastsMs }
}
