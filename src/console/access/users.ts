/** Who uses the console, and what each may do. */

import type { ConsoleRoles } from '../../config/console/settings.ts'
import { dayMs, hourMs } from '../../core/clock.ts'

/** What a user may do: look at events without their contents, see what senders and agents wrote, change something. */
export type Right = 'view' | 'payloads' | 'operate'

/**
 * A user who may sign in. `kind`: how the user showed who it is. `lastsMs`: how long a sign-in lasts: what the identity provider or the
 * configuration said of the user may be otherwise the next day.
 */
export type User = {
  readonly kind: 'code' | 'forward' | 'oidc' | 'password'
  readonly name: string
  readonly rights: ReadonlySet<Right>
  readonly lastsMs: number
}

/**
 * Whoever has a code, which only a terminal of this machine shows. Whoever can run the console on a data directory can read and change all
 * that the console can, so this user has all rights.
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
  // A group whose name begins with "user:" is nobody's user name.
  const names = new Set(['*', `user:${name}`, ...groups.filter((group) => !group.startsWith('user:'))])
  const isAmong = (listed: readonly string[]): boolean => listed.some((each) => names.has(each))
  const operates = isAmong(operator)
  if (name === '' || name.length > maxNameLength || !(operates || isAmong(viewer))) return undefined
  const rights: Right[] = ['view', ...(operates ? ['operate' as const] : []), ...(isAmong(payloads) ? ['payloads' as const] : [])]
  return { kind, name, rights: new Set(rights), lastsMs }
}
