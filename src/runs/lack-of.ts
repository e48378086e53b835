/** Says what a configuration lacks for a run, which another gateway or an earlier configuration may have accepted. */

import type { Profile } from '../config/config.ts'
import type { NewRun } from '../core/new-run.ts'
import { deliveriesOf } from '../parts/destination.ts'
import { obstacleOf, settingsOf } from '../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../parts/targets/target.ts'

/** The profiles, targets, routes and jobs of this gateway's configuration. */
export type ServedNames = {
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'env' | 'platforms'>>
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly hasRoute: (name: string) => boolean
  readonly hasJob: (profile: string, id: string) => boolean
  readonly hasAgent: (name: string) => boolean
}

/**
 * Returns the first thing that a run needs and the configuration does not have, as a noun phrase such as `the route "deploys"`; `undefined`
 * where nothing is lacking.
 */
export const lackOf = (
  { profile, route, job, agent, delivery }: Pick<NewRun, 'profile' | 'route' | 'job' | 'agent' | 'delivery'>,
  known: ServedNames,
): string | undefined => {
  const owner = known.profiles.get(profile)
  if (!owner) return `the profile "${profile}"`
  if (job === undefined && !known.hasRoute(route)) return `the route "${route}"`
  if (job !== undefined && !known.hasJob(profile, job)) return `the job "${job}"`
  if (agent !== undefined && !known.hasAgent(agent)) return `the agent "${agent}"`
  for (const { target } of deliveriesOf(delivery)) {
    const part = known.targets.get(target)
    if (!part) return `the target "${target}"`
    const obstacle = obstacleOf(part, settingsOf(part, owner.platforms, owner.env))
    if (obstacle !== undefined) return `a setting of the target "${target}": ${obstacle}`
  }
  return undefined
}
