/** Which plan serves a path: configured routes first, then subscriptions; a profile's prefix must match the route's binding. */

import { defaultProfile, type RouteSource } from '../config/config.ts'
import { type Refused, refuse } from '../core/outcome.ts'
import type { RoutePlan } from '../core/plan.ts'

/** A route as it is looked up: without a plan it is switched off. */
export type Served = { readonly source: RouteSource; readonly plan?: () => RoutePlan }

/** A compiled route as it is looked up. */
export const servedBy = (source: RouteSource, plan: () => RoutePlan): Served => (source.enabled ? { source, plan } : { source })

export type Table = {
  readonly configured: ReadonlyMap<string, Served>
  readonly subscribed: { get(name: string): Served | undefined }
  readonly multiplex: boolean
  readonly profiles: { has(name: string): boolean }
}

const shown = 100

/** The route of this name: a configured one always wins (rules: Subscriptions 2). */
export const servedAs = ({ configured, subscribed }: Pick<Table, 'configured' | 'subscribed'>, name: string): Served | undefined =>
  configured.get(name) ?? subscribed.get(name)

/** The plan for `/webhooks/<name>`, or for `/p/<prefix>/webhooks/<name>`; decided before any signature work. */
export const lookUp = (table: Table, name: string, prefix?: string): RoutePlan | Refused => {
  if (prefix !== undefined && !(table.multiplex && table.profiles.has(prefix))) return refuse('unknown_profile')
  const served = servedAs(table, name)
  // Not there, or bound to another profile: one answer for all, so that nobody learns which (rules: Replies 2).
  if (!served || served.source.profile !== (prefix ?? defaultProfile)) return refuse('unknown_route', { name: name.slice(0, shown) })
  return served.plan?.() ?? refuse('route_disabled', { name })
}
