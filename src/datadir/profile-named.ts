/** Finds the profile that a user names. */

import { defaultProfile, type Profile } from '../config/config.ts'
import { type Loaded, unreadIn } from '../config/load.ts'
import { exit, Fault } from '../core/fault.ts'
import { nearest } from '../core/text.ts'

/**
 * Returns the profile with this name; without a name, the default profile. Throws a Fault for a profile that is not served. The Fault
 * suggests names with a similar spelling, and has a hint. `self`: how the user calls the program.
 */
export const profileNamed = (name: string | undefined, loaded: Pick<Loaded, 'config' | 'diagnostics'>, self: string): Profile => {
  const { profiles } = loaded.config
  const profile = profiles.get(name ?? defaultProfile)
  if (profile) return profile
  const suggest = nearest(name ?? '', profiles.keys())
  throw new Fault('not_found', `profile "${name}" is not served`, { exitCode: exit.notFound, suggest, hint: hintOf(name, loaded, self) })
}

const hintOf = (name: string | undefined, loaded: Pick<Loaded, 'config' | 'diagnostics'>, self: string): string => {
  if (unreadIn(loaded).length > 0) return `the configuration cannot be read: ${self} validate`
  return loaded.config.multiplex ? `create profiles/${name}/config.yaml (it may be empty)` : 'set gateway.multiplex_profiles: true'
}
