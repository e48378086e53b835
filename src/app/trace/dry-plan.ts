/** A route's plan over effects that touch nothing: its store forgets, its targets send nowhere, its scripts let the event on. */

import type { Config, RouteSource } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Held } from '../../core/owner.ts'
import type { RoutePlan } from '../../core/plan.ts'
import type { Effects } from '../../parts/effects.ts'
import { type Catalogue, compileRoute } from '../../plan/compile.ts'
import type { PlanSettings } from '../../plan/plan-settings.ts'
import { ownCommentsOf } from '../live/comment-key.ts'
import { createDryEffects } from '../live/effects.ts'
import { type Collector, createCollector } from './plan-observer.ts'

/** What an event would meet. */
export type DryWorld = {
  readonly source: RouteSource
  readonly config: PlanSettings & Pick<Config, 'agent'>
  readonly catalogue: Catalogue
  /** What differs from effects that touch nothing. Without a script, scripts let the event on as it is. */
  readonly effects: Pick<Effects, 'jobs' | 'clock'> & Partial<Effects>
}

export type DryPlan = {
  readonly plan: () => RoutePlan
  readonly owner: Held
  readonly onlooker: Collector
  /** Closes what the plan has open; never rejects. */
  readonly close: () => Promise<void>
}

/** A route that shows without a secret, too, what it makes of an event. */
export const withSecret = (source: RouteSource): RouteSource =>
  source.secrets.length > 0 ? source : { ...source, secrets: ['what the tests of a route sign with'] }

/** Throws a Fault for a route that the server would not start with. */
export const dryPlan = ({ source, config, catalogue, effects }: DryWorld): DryPlan => {
  const onlooker = createCollector()
  const whole: Effects = { ...createDryEffects(effects.clock), ...effects, ownComments: ownCommentsOf(config.dataDir), onlooker }
  const { plan, owner, diagnostics } = compileRoute(source, config, catalogue, whole)
  if (plan && owner) return { plan, owner, onlooker, close: () => whole.owners.close() }
  const [first] = diagnostics.filter(({ stopsStart }) => stopsStart)
  throw new Fault('invalid_route', `the route "${source.name}" is not valid as it is now: ${first?.message ?? ''}`, {
    exitCode: exit.no,
    hint: 'headgate validate',
  })
}
