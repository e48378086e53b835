/** Keeps an editor that was opened for one profile (`edit --profile`) to the routes of that profile. */

import { loadConfig } from '../config/load.ts'
import { exit, Fault } from '../core/fault.ts'
import type { JsonObject } from '../core/json.ts'
import { profileNamed } from '../datadir/profile-named.ts'
import { profileOf } from '../datadir/subscription-record.ts'
import type { Workspace } from '../datadir/workspace.ts'
import type { OpenedRoute } from './draft/route-draft.ts'

/** Throws a Fault when the profile is not served. */
export const checkProfile = (workspace: Workspace, profile: string): void =>
  void profileNamed(profile, loadConfig(workspace), workspace.self)

/** Whether a route as it is written belongs to the profile. Where no profile is given, every route does. */
export const belongsToProfile = (written: JsonObject, profile: string | undefined): boolean =>
  profile === undefined || profileOf(written) === profile

/**
 * Returns the route that was opened. Throws a Fault when the route belongs to another profile than the given one. `self`: how the user
 * calls the program, for the hint.
 */
export const requireProfile = (opened: OpenedRoute, profile: string | undefined, self: string): OpenedRoute => {
  const { name, written } = opened
  if (belongsToProfile(written, profile)) return opened
  const own = String(profileOf(written))
  throw new Fault('not_found', `"${name}" is a route of profile "${own}", not of "${profile}"`, {
    exitCode: exit.notFound,
    hint: `${self} edit ${name} --profile ${own}`,
  })
}
