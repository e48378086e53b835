/** A route's plan over effects that touch nothing: its store forgets, its targets send nowhere, its scripts let the event on. */

import type { Config, RouteSource } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Held } from '../../core/owner.ts'
import type { RoutePlan } from '../../core/plan.ts'
import type { Effects, Jobs } from '../../parts/effects.ts'
import type { Outgoing } from '../../parts/targets/target.ts'
import { type Catalogue, compileRoute, type PlanSettings } from '../../plan/compile.ts'
import { openMemory } from '../../store/memory/memory-store.ts'
import type { Store } from '../../store/ports.ts'
import { createDryEffects } from '../live/effects.ts'
import { type Collector, createCollector } from './onlooker.ts'

/** What an event would meet. */
export type DryWorld = {
  readonly source: RouteSource
  readonly config: PlanSettings & Pick<Config, 'multiplex'>
  readonly catalogue: Catalogue
  readonly jobs: Jobs
  readonly clock: Clock
  /** Absent: scripts let the event on as it is. */
  readonly script?: Effects['script']
}

export type DryPlan = {
  readonly plan: () => RoutePlan
  readonly owner: Held
  readonly onlooker: Collector
  readonly store: Store
  /** What would have been sent. */
  readonly sent: readonly Outgoing[]
  /** Closes what the plan has open; never rejects. */
  readonly close: () => Promise<void>
}

/** Throws a Fault for a route that the server would not start with. */
export const dryPlan = ({ source, config, catalogue, jobs, clock, script }: DryWorld): DryPlan => {
  const store = openMemory({ clock })
  const onlooker = createCollector()
  const sent: Outgoing[] = []
  const send: Effects['send'] = async (outgoing) => {
    sent.push(outgoing)
    return { ok: true, detail: 'dry run' }
  }
  const effects: Effects = { ...createDryEffects(clock), store, send, jobs, onlooker, ...(script ? { script } : {}) }
  const { plan, owner, diagnostics } = compileRoute(source, config, catalogue, effects)
  if (plan && owner) return { plan, owner, onlooker, store, sent, close: () => effects.owners.close() }
  const [first] = diagnostics.filter(({ stopsStart }) => stopsStart)
  throw new Fault('invalid_route', `the route "${source.name}" is not valid as it is now: ${first?.message ?? ''}`, {
    exitCode: exit.no,
    hint: 'headgate validate',
  })
}
