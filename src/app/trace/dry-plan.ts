/** A route's plan over dry effects: nothing is stored for long, nothing is sent, and scripts let the event on. */

import type { Config, RouteSource } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { HoldableOwner } from '../../core/owner.ts'
import type { RoutePlan } from '../../core/plan.ts'
import type { Effects } from '../../parts/effects.ts'
import { type Catalogue, compileRoute } from '../../plan/compile.ts'
import type { PlanSettings } from '../../plan/plan-settings.ts'
import { ownCommentsOf } from '../live/comment-key.ts'
import { createDryEffects } from '../live/effects.ts'
import { type Collector, createCollector } from './plan-observer.ts'

/** The surroundings of a dry plan: its route, configuration, parts and effects. */
export type DryWorld = {
  readonly source: RouteSource
  readonly config: PlanSettings & Pick<Config, 'agent'>
  readonly catalogue: Catalogue
  /** The effects that are not dry. Without `script`, scripts let the event on unchanged. */
  readonly effects: Pick<Effects, 'jobs' | 'clock'> & Partial<Effects>
}

export type DryPlan = {
  readonly plan: () => RoutePlan
  readonly owner: HoldableOwner
  readonly onlooker: Collector
  /** Closes all that the plan has open. Never rejects. */
  readonly close: () => Promise<void>
}

/** Returns the route, with a stand-in where it has no secret, so that it can be traced. */
export const withSecret = (source: RouteSource): RouteSource =>
  source.secrets.length > 0 ? source : { ...source, secrets: ['what the tests of a route sign with'] }

/** Makes the plan. Throws a Fault for a route that stops the start of the server. */
export const dryPlan = ({ source, config, catalogue, effects }: DryWorld): DryPlan => {
  const onlooker = createCollector()
  const allEffects: Effects = { ...createDryEffects(effects.clock), ...effects, ownComments: ownCommentsOf(config.dataDir), onlooker }
  const { plan, owner, diagnostics } = compileRoute(source, config, catalogue, allEffects)
  if (plan && owner) return { plan, owner, onlooker, close: () => allEffects.owners.close() }
  const [first] = diagnostics.filter(({ stopsStart }) => stopsStart)
  throw new Fault('invalid_route', `the route "${source.name}" is not valid as it is now: ${first?.message ?? ''}`, {
    exitCode: exit.no,
    hint: 'headgate validate',
  })
}
