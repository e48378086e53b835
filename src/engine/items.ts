/** Runs the items of a request that is split: each through the gates and the ending, like a request of its own. */

import type { EndedItem } from '../core/facts/fact.ts'
import { type Outcome, refuse } from '../core/outcome.ts'
import { outcomeName } from '../core/outcome-table.ts'
import type { MaybePromise, RoutePlan, Split } from '../core/plan.ts'
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

/** Runs one item, and notes in its trail how far it comes. */
type RunItem = (trail: Trail, item: Event, index: number) => MaybePromise<Outcome>

/**
 * Runs the items in turn, and notes their ends in the trail of the request. Resolves to the outcome of the request: `split`, or a refusal
 * where no item was taken. A request without a list, and the replay of one item, have the outcome of their only event.
 */
export const runItems = async (of: SplitRequest, runItem: RunItem): Promise<Outcome> => {
  const { plan, split, trail, request, event, items = [event] } = of
  const isOne = of.items === undefined || request.replay?.item !== undefined
  if (isOne && items.length === 0) return refuse('bad_json', { detail: 'the request has no such item' })
  const trails = items.map((item) => trailAt(trail.stage, item))
  const outcomes = await split.run(items, (item, index) => runItem(trails[index] as Trail, item, index))
  if ('kind' in outcomes) {
    trail.stage = plan.ending.stage
    return outcomes
  }
  const ends = outcomes.map((outcome, i) => endOf(outcome, trails[i] as Trail, items[i] as Event))
  const [first] = ends
  if (isOne && first) {
    trail.event = first.event
    trail.stage = (trails[0] as Trail).stage
    return first.outcome
  }
  const ignored = ends.filter(({ outcome }) => outcome.kind === 'ignored')
  const claims = await Promise.all(ignored.map((end) => plan.claimIgnored?.(end.event, request.verification.scheme)))
  trail.stage = plan.ending.stage
  trail.items = ends
  return claims.find((refused) => refused !== undefined) ?? summary(event, ends)
}

const endOf = (outcome: Outcome, trail: Trail, item: Event): EndedItem => ({
  outcome,
  stage: endStage(outcome, trail),
  event: factsOf(trail.event ?? item),
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
