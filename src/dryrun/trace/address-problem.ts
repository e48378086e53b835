/** Says of a dry run whether its reply would have somewhere to go, by the code that decides this before an agent is asked. */

import type { Profile } from '../../config/config.ts'
import type { NewRun } from '../../core/new-run.ts'
import type { Job, Route } from '../../generated/config.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { lackOf } from '../../runs/lack-of.ts'
import { hasOtherTaker, whyUndeliverable } from '../../runs/sender.ts'

type Dry = {
  readonly config: { readonly profiles: ReadonlyMap<string, Pick<Profile, 'env' | 'platforms'>> }
  readonly catalogue: Pick<Catalogue, 'targets'>
  readonly route: Pick<Route, 'deliver' | 'deliver_extra' | 'callback' | 'respond'>
  /** The job whose run it is; absent for a run of the route. */
  readonly job?: Pick<Job, 'deliver' | 'deliver_extra'> | undefined
}

/**
 * Returns why the reply could go nowhere; `undefined` where it has somewhere to go, and where a target is not connected here: a dry run may
 * be made where the secrets of the gateway are not.
 */
export const addressProblem = (run: Pick<NewRun, 'profile' | 'route' | 'job' | 'delivery'>, dry: Dry): string | undefined => {
  const { config, catalogue, route, job = route } = dry
  const { profiles } = config
  const { targets } = catalogue
  if (
    hasOtherTaker(route) ||
    lackOf(run, { profiles, targets, hasRoute: () => true, hasJob: () => true, hasAgent: () => true }) !== undefined
  )
    return undefined
  return whyUndeliverable({ targets, profile: (name) => profiles.get(name) }, run, job)
}
