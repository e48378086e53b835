/**
 * Compiles `dispatch` of a route: chooses the routes that an event goes to, and makes an event of each. The first row whose condition holds
 * decides.
 */

import { randomUUID } from 'node:crypto'
import { type Ignored, type Refused, refuse, routePaused } from '../../core/outcome.ts'
import type { Dispatch, EventPlan, PlannedEvent } from '../../core/plan.ts'
import type { Event, VerifiedRequest } from '../../core/request.ts'
import { thenAll } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'
import { holdMsOf } from '../claim.ts'
import { compileFirstRow } from '../first-row.ts'
import type { StageKit } from '../stages/stage.ts'

/** A route that `dispatch` names. `plan`: absent where the route is switched off. */
export type TargetRoute = { readonly name: string; readonly plan: EventPlan | undefined }

type Row = NonNullable<Route['dispatch']>[number]
type Dispatched = Awaited<ReturnType<Dispatch>>

/** Returns the names of the routes of a row. */
export const rowTargets = ({ to }: Row): readonly string[] => [to].flat()

/** Returns the names of all routes that a route dispatches to, each once. */
export const dispatchTargets = ({ dispatch = [] }: Pick<Route, 'dispatch'>): readonly string[] => [...new Set(dispatch.flatMap(rowTargets))]

/** Compiles the rows; `undefined` for a route without `dispatch`. `targetOf`: returns a route by its name; `undefined` where there is none. */
export const compileDispatch = (route: Route, kit: StageKit, targetOf: (name: string) => TargetRoute | undefined): Dispatch | undefined => {
  if (!route.dispatch) return undefined
  const targets = new Map(dispatchTargets(route).map((name) => [name, targetOf(name)]))
  const rows = route.dispatch.map((row) => rowTargets(row).flatMap((name) => targets.get(name) ?? []))
  const firstRow = compileFirstRow('dispatch', route.dispatch, kit)
  const holdMs = holdMsOf(route)
  const eventsOf = (chosen: readonly TargetRoute[], event: Event, { replay }: VerifiedRequest): Dispatched => {
    const paused = replay?.to === undefined ? chosen.find(({ name }) => kit.effects.pauses?.refuses(name)) : undefined
    // The sender asked this route, and must not learn the names of the others.
    if (paused) return routePaused(kit.name, `the route "${paused.name}" is paused`)
    return chosen.map((target): PlannedEvent => {
      const { name, plan = switchedOff(name) } = target
      const eventId = replay?.to === undefined ? randomUUID() : event.eventId
      // The id is known for as long as this route says too: a catch-up of this route looks back for so long.
      return { plan, event: { ...event, lookup: undefined, eventId, route: name, claimMs: Math.max(event.claimMs ?? 0, holdMs) } }
    })
  }
  const taken = (row: number | Refused, event: Event, request: VerifiedRequest): Dispatched => {
    if (typeof row !== 'number') return row
    const chosen = rows[row]
    if (!chosen) return ignored(kit.name, 'dispatch: no row holds')
    kit.effects.onlooker?.noted(`dispatch[${row}] holds: ${chosen.map(({ name }) => name).join(', ')}`)
    return eventsOf(chosen, event, request)
  }
  return (event, request) => {
    const to = request.replay?.to
    if (to === undefined) return thenAll<number | Refused, Dispatched>([firstRow(event)], ([row = -1]) => taken(row, event, request))
    const only = targets.get(to)
    return only ? eventsOf([only], event, request) : refuse('unknown_route', { name: kit.name, detail: `it does not dispatch to "${to}"` })
  }
}

const ignored = (route: string, why: string): Ignored => ({ kind: 'ignored', reason: 'dispatch', route, detail: () => why })

/** Returns the plan of a route that is switched off: its events leave records, and can be replayed when it is on again. */
const switchedOff = (name: string): EventPlan => ({
  onEvent: [],
  ending: { stage: 'dispatch', run: () => ignored(name, `dispatch: the route "${name}" is disabled`) },
})
