/**
 * Finds the plan for the path of a request: configured routes come first, then subscriptions. The profile in the path must be the route's
 * profile.
 */

import { defaultProfile, type RouteSource } from '../config/config.ts'
import { type Refused, refuse, routePaused } from '../core/outcome.ts'
import type { RoutePlan } from '../core/plan.ts'
import type { HeldScope } from '../core/scope.ts'
import type { Compiled } from './compile.ts'

/** A route in the routing table. A route without a plan is switched off. */
export type ServedRoute = {
  readonly source: RouteSource
  readonly plan?: () => RoutePlan
  /** The scope of the plan. A request holds the scope while it uses the plan. */
  readonly scope?: HeldScope
}

/**
 * Makes the row of the routing table for a compiled route; `undefined` when the route did not compile to a plan. The plan of a disabled
 * route is released, and its row has no plan.
 */
export const servedBy = (source: RouteSource, { plan, scope }: Pick<Compiled, 'plan' | 'scope'>): ServedRoute | undefined => {
  if (!plan || !scope) return undefined
  if (source.enabled) return { source, plan, scope }
  scope.release()
  return { source }
}

/** The routing table. `profiles`: the names of the profiles that are served. */
export type Table = {
  readonly configured: ReadonlyMap<string, ServedRoute>
  readonly subscribed: { get(name: string): ServedRoute | undefined }
  /** Whether profiles besides the default profile are served. */
  readonly multiplex: boolean
  readonly profiles: { has(name: string): boolean }
  /** Absent where no gateway serves. */
  readonly pauses?: { refuses(route: string): boolean }
}

const maxNameUnits = 100

/** Returns the route of a name. A configured route always wins over a subscription (rules: Subscriptions 2). */
export const servedAs = ({ configured, subscribed }: Pick<Table, 'configured' | 'subscribed'>, name: string): ServedRoute | undefined =>
  configured.get(name) ?? subscribed.get(name)

/** Returns the plan for `/webhooks/<name>` or `/p/<prefix>/webhooks/<name>`, or the refusal of a request that has no plan. */
export const lookUp = (table: Table, name: string, prefix?: string): RoutePlan | Refused => {
  if (prefix !== undefined && !(table.multiplex && table.profiles.has(prefix))) return refuse('unknown_profile')
  const served = servedAs(table, name)
  // An unknown route, a route of another profile and a route without an address get the same answer, so that no sender can tell them apart
  // (rules: Replies 2).
  if (!served || served.source.profile !== (prefix ?? defaultProfile) || served.source.spec.address === false)
    return refuse('unknown_route', { name: name.slice(0, maxNameUnits) })
  if (table.pauses?.refuses(name)) return routePaused(name)
  return served.plan?.() ?? refuse('route_disabled', { name })
}
