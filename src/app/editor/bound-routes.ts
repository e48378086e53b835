/** Keeps an editor that was opened for one profile to the routes of that profile. */

import { loadConfig } from '../../config/load.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { profileNamed } from '../profile-named.ts'
import { profileOf } from '../routes/subscription-record.ts'
import type { Workspace } from '../workspace.ts'
import type { OpenedRoute } from './draft/route-draft.ts'

/** Throws a Fault when the profile is not served. */
export const checkProfile = (workspace: Workspace, profile: string): void =>
  void profileNamed(profile, loadConfig(workspace), workspace.self)

/** Whether the route belongs to the profile. Without a profile, every route counts. */
export const belongsToProfile = (written: JsonObject, profile: string | undefined): boolean =>
  profile === undefined || profileOf(written) === profile

/** Returns the opened route. Throws a Fault when the route belongs to another profile. */
export const boundTo = (opened: OpenedRoute, profile: string | undefined, self: string): OpenedRoute => {
  const { name, written } = opened
  if (belongsToProfile(written, profile)) return opened
  const own = String(profileOf(written))
  throw new Fault('not_found', `"${name}" is a route of profile "${own}", not of "${profile}"`, {
    exitCode: exit.notFound,
    hint: `${self} edit ${name} --profile ${own}`,
  })
}
