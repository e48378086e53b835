/**
 * Runs the events of a request that is split or dispatched: each through the gates and the ending of its route, like a request of its own.
 */

import type { EndedItem } from '../core/facts/fact.ts'
import { type Outcome, refuse } from '../core/outcome.ts'
import { outcomeName } from '../core/outcome-table.ts'
import type { Dispatch, EventPlan, MaybePromise, RoutePlan, Split } from '../core/plan.ts'
import type { Event, VerifiedRequest } from '../core/request.ts'
import { factsOf, type Trail, trailAt } from './trail.ts'

/**
 * A request with its items. `event`: the whole request as an event. `items`: absent where the request has no list, and is one event.
 * `trail`: the trail of the request.
 */
export type SplitRequest = {
  readonly plan: RoutePlan
  readonly split: Split
  readonly trail: Trail
  readonly request: VerifiedRequest
  readonly event: Event
  readonly items: readonly Event[] | undefined
}

/**
 * One event of a request. `index`: the place of its item. `plan`: absent for an event that its first route has ended, with `ended`. `trail`:
 * how far the event has come.
 */
type Part = { readonly index: number; readonly event: Event; readonly trail: Trail } & (
  | { readonly plan: EventPlan; readonly ended?: never }
  | { readonly plan?: never; readonly ended: Outcome }
)

/** Runs an event through a plan, and notes in the trail how far it comes. `index`: the place of its item; absent behind `dispatch`. */
type RunEvent = (plan: EventPlan, trail: Trail, event: Event, index?: number) => MaybePromise<Outcome>

/**
 * Runs the events in turn, and notes their ends in the trail of the request. Resolves to the outcome of the request: `split`, or a refusal
 * where no event was taken. A request without a list that no route dispatches, and the replay of one event, have the outcome of their only
 * event.
 */
export const runItems = async (of: SplitRequest, runEvent: RunEvent): Promise<Outcome> => {
  const { plan, split, trail, request, event, items = [event] } = of
  const { item: only, to } = request.replay ?? {}
  const isOneItem = of.items === undefined || only !== undefined
  if (isOneItem && items.length === 0) return refuse('bad_json', { detail: 'the request has no such item' })
  const whole = items.map((item, i): Part => ({ index: only ?? i, event: item, trail: trailAt(trail.stage, item), plan }))
  const parts = split.dispatch ? await dispatched(whole, split.dispatch, request, runEvent) : whole
  const isOne = isOneItem && (to !== undefined || parts.every((part) => part.ended !== undefined || part.plan === plan))
  const outcomes = await split.run(
    parts.map((part) => part.event),
    (item, i) => {
      const part = parts[i] as Part
      return part.ended ?? runEvent(part.plan, part.trail, item, split.dispatch ? undefined : i)
    },
  )
  if ('kind' in outcomes) {
    trail.stage = plan.ending.stage
    return outcomes
  }
  const ends = outcomes.map((outcome, i) => endOf(outcome, parts[i] as Part))
  const [first] = ends
  if (isOne && first) {
    trail.event = first.event
    trail.stage = (parts[0] as Part).trail.stage
    return first.outcome
  }
  const ignored = ends.filter(({ outcome }) => outcome.kind === 'ignored')
  const claims = await Promise.all(ignored.map((end) => plan.claimIgnored?.(end.event, request.verification.scheme)))
  trail.stage = plan.ending.stage
  trail.items = ends
  return claims.find((refused) => refused !== undefined) ?? summary(event, ends)
}

/** Runs each item through the gates of the route that received it, and returns the events of the routes to which it goes from there. */
const dispatched = async (
  items: readonly Part[],
  dispatch: Dispatch,
  request: VerifiedRequest,
  runEvent: RunEvent,
): Promise<readonly Part[]> => {
  const parts: Part[] = []
  for (const { index, event, trail, plan } of items) {
    const passed = await runEvent(plan as EventPlan, trail, event, index)
    // The ending of a route that dispatches lets each event on, so any other outcome is that of a gate.
    const chosen = passed.kind === 'split' ? await dispatch(trail.whole ?? event, request) : passed
    if ('kind' in chosen) parts.push({ index, event, trail, ended: chosen })
    else for (const { event, plan } of chosen) parts.push({ index, event, trail: trailAt(trail.stage, event), plan })
  }
  return parts
}

const endOf = (outcome: Outcome, { trail, event, index }: Part): EndedItem => ({
  outcome,
  stage: endStage(outcome, trail),
  event: factsOf(trail.event ?? event),
  index,
})

/**
 * Returns the stage that ended an event. The ending commits the claim of the delivery id and the work in one step, but the rules name
 * separate stages for what a claim holds back (rules: Order 1).
 */
export const endStage = (outcome: Outcome, { stage }: Trail): string => {
  if (outcome.kind === 'duplicate') return 'duplicate'
  return outcome.kind === 'ignored' && outcome.reason === 'cooldown' ? 'cooldown' : stage
}

const summary = ({ route, eventType: event, deliveryId }: Event, ends: readonly EndedItem[]): Outcome => {
  const items: { [outcome: string]: number } = {}
  for (const { outcome } of ends) items[outcomeName(outcome)] = (items[outcomeName(outcome)] ?? 0) + 1
  return { kind: 'split', route, event, deliveryId, items }
}
