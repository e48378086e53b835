/**
 * A route's plan with dry effects, for traces and tests: nothing is stored on disk, nothing is sent, and scripts let the event on
 * unchanged, unless the caller gives other effects.
 */

import type { Config, RouteSource } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { RoutePlan } from '../../core/plan.ts'
import type { HeldScope } from '../../core/scope.ts'
import type { Effects } from '../../parts/effects.ts'
import { type Catalogue, compileRoute } from '../../plan/compile.ts'
import type { PlanSettings } from '../../plan/plan-settings.ts'
import { ownCommentsOf } from '../../serve/comment-key.ts'
import { createDryEffects } from './dry-effects.ts'
import { type Collector, createCollector } from './plan-observer.ts'

/** The things that a dry plan is made from: its route, configuration, parts and effects. */
export type DryWorld = {
  readonly source: RouteSource
  readonly config: PlanSettings & Pick<Config, 'agents'>
  readonly catalogue: Catalogue
  /** The effects to use in place of dry effects. Without `script`, scripts let the event on unchanged. */
  readonly effects: Pick<Effects, 'jobs' | 'clock'> & Partial<Effects>
}

export type DryPlan = {
  readonly plan: () => RoutePlan
  readonly scope: HeldScope
  /** Collects the conditions of the plan, and the placeholders of the texts that an event lets it render. */
  readonly onlooker: Collector
  /** Closes all that the plan has open. Never rejects. */
  readonly close: () => Promise<void>
}

/** Returns the route as it is where it has a secret, else with an invented secret, so that its requests can be signed and traced. */
export const withSecret = (source: RouteSource): RouteSource =>
  source.secrets.length > 0 ? source : { ...source, secrets: ['what the tests of a route sign with'] }

/** Makes the plan. Throws a Fault for a route whose mistake would stop the start of the gateway. */
export const dryPlan = ({ source, config, catalogue, effects }: DryWorld): DryPlan => {
  const onlooker = createCollector()
  const allEffects: Effects = { ...createDryEffects(effects.clock), ...effects, ownComments: ownCommentsOf(config.dataDir), onlooker }
  const { plan, scope, diagnostics } = compileRoute(source, config, catalogue, allEffects)
  if (plan && scope) return { plan, scope, onlooker, close: () => allEffects.scopes.close() }
  const [first] = diagnostics.filter(({ stopsStart }) => stopsStart)
  throw new Fault('invalid_route', `the route "${source.name}" is not valid as it is now: ${first?.message ?? ''}`, {
    exitCode: exit.no,
    hint: 'headgate validate',
  })
}
