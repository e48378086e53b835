/** Says whether a route takes a request as several events, and where the list of them is. */

import type { Route } from '../generated/config.ts'
import type { Batch, Scheme } from './schemes/scheme.ts'
import { verifyNames } from './written-names.ts'

/** Whether the route makes an event of each item of a request. */
export const splits = (route: Route, schemes: readonly Scheme[]): boolean => routeBatch(route, schemes) !== undefined

/** Returns the list of a route's items as `batchOf` does, from those of the schemes that its `verify` names. */
export const routeBatch = (route: Route, schemes: readonly Scheme[]): ReturnType<typeof batchOf> => {
  const named = verifyNames(route)
  return batchOf(
    route,
    schemes.filter(({ name }) => named.includes(name)),
  )
}

/**
 * Returns the list of a route's items: as `split` says, else that of the route's scheme. Without `split`, a route splits the requests of a
 * sender whose types are those of the single items, where it lists types in `events`: a list of types asks for single events. `unknown`:
 * `split` is true, and no scheme has a list.
 */
export const batchOf = (
  { split, events = [], deliver_only: isDirect, cron_job: job }: Route,
  schemes: readonly Pick<Scheme, 'batch'>[],
): Batch | 'unknown' | undefined => {
  if (split === false) return undefined
  if (typeof split === 'string') return { items: split }
  if (typeof split === 'object') return split
  const ofScheme = schemes.find(({ batch }) => batch)?.batch
  if (split === true) return ofScheme ?? 'unknown'
  return ofScheme?.byEvents && events.length > 0 && !isDirect && job === undefined ? ofScheme : undefined
}
