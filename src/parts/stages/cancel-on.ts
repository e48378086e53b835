/**
 * The gate `cancel_on` ends the unfinished work of an event's key, where the event matches `cancel_on` of the route, and starts nothing
 * (rules: Ending work 1). It stands before the other gates of events, because they say which events start work.
 */

import type { Json } from '../../core/json.ts'
import { listUnavailable, type Outcome, type Refused } from '../../core/outcome.ts'
import type { MaybePromise } from '../../core/plan.ts'
import type { Event } from '../../core/request.ts'
import { withDigits } from '../../core/written-digits.ts'
import { compileConditions, type FilterVerdict } from '../../expr/condition.ts'
import { thenAll } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'
import { claimOf, heldBack, holdMsOf } from '../claim.ts'
import { commitWork } from '../commit-work.ts'
import { compileTypeList } from '../listed-types.ts'
import { compileEndKey } from './kit/end-key.ts'
import type { StageKit, StagePart } from './stage.ts'

export const cancelOn: StagePart = {
  name: 'cancel_on',
  compile(route, kit) {
    if (!route.cancel_on) return {}
    const [isMeant, keyOf, holdMs] = [compileMatch(route.cancel_on, kit), compileEndKey('cancel_on', route, kit), holdMsOf(route)]
    const end = async (event: Event): Promise<Outcome> => {
      const key = await keyOf(event)
      const claim = claimOf(event, holdMs)
      const { route, eventType, deliveryId, eventId } = event
      const note = key === undefined ? { note: 'it has no value for the key of "cancel_on"' } : {}
      return commitWork(kit.effects, { claim, ...(key === undefined ? {} : { ending: { key, by: eventId } }) }, (handed) =>
        handed === 'accepted'
          ? { kind: 'closing', route, event: eventType, deliveryId, ended: { count: 0, ids: [] }, ...note }
          : heldBack(event, 'duplicate', claim),
      )
    }
    // The key of an event that starts work is read here too: a script or a transform may change its payload later.
    const keyed = (event: Event): MaybePromise<Event> =>
      thenAll([keyOf(event)], ([endKeys]) => (endKeys === undefined ? event : { ...event, endKeys }))
    return {
      onEvent: kit.expressions.around((event): MaybePromise<Event | Outcome> => {
        const go = (holds: boolean | Refused): MaybePromise<Event | Outcome> =>
          typeof holds === 'object' ? holds : holds ? end(event) : keyed(event)
        const holds = isMeant(event)
        return holds instanceof Promise ? holds.then(go) : go(holds)
      }),
    }
  },
}

/** Compiles `events` and `filters` of `cancel_on`: both must hold. A list that is not there refuses the event for later. */
const compileMatch = (
  { events = [], filters }: NonNullable<Route['cancel_on']>,
  { operators, profileDir, openList, recompileAtReload, adopt, report }: StageKit,
): ((event: Event) => MaybePromise<boolean | Refused>) => {
  const isListed = events.length > 0 ? compileTypeList(events) : () => true
  if (filters === undefined) return isListed
  const holds = compileConditions(withDigits(filters as Json), {
    operators,
    profileDir,
    openList,
    recompileAtReload,
    adopt,
    root: 'cancel_on.filters',
    report: (code, path, message, help) => report(code, ['cancel_on', 'filters', ...path], message, help),
  })
  const judged = (verdict: FilterVerdict): boolean | Refused =>
    !verdict.pass && verdict.isLater ? listUnavailable(verdict.rule()) : verdict.pass
  return (event) => {
    if (!isListed(event)) return false
    const verdict = holds(event)
    return verdict instanceof Promise ? verdict.then(judged) : judged(verdict)
  }
}
