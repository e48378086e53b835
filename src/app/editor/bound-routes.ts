/** The routes of one profile, where an editor was opened for one. */

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

/** Without a profile every route is. */
export const isBoundTo = (written: JsonObject, profile: string | undefined): boolean =>
  profile === undefined || profileOf(written) === profile

/** Throws a Fault where the route is another profile's. */
export const boundTo = (opened: OpenedRoute, profile: string | undefined, self: string): OpenedRoute => {
  const { name, written } = opened
  if (isBoundTo(written, profile)) return opened
  const own = String(profileOf(written))
  throw new Fault('not_found', `"${name}" is a route of profile "${own}", not of "${profile}"`, {
    exitCode: exit.notFound,
    hint: `${self} edit ${name} --profile ${own}`,
  })
}
