/**
 * The gate `cancel_on` ends the unfinished work of an event's key, where the event matches `cancel_on` of the route, and starts nothing
 * (rules: Ending work 1). It stands before the other gates of events, because they say which events start work.
 */

import type { Json } from '../../core/json.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { MaybePromise } from '../../core/plan.ts'
import type { Event } from '../../core/request.ts'
import { withDigits } from '../../core/written-digits.ts'
import { compileConditions } from '../../expr/condition.ts'
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
        const holds = isMeant(event)
        if (holds instanceof Promise) return holds.then((does): MaybePromise<Event | Outcome> => (does ? end(event) : keyed(event)))
        return holds ? end(event) : keyed(event)
      }),
    }
  },
}

/** Compiles `events` and `filters` of `cancel_on`: both must hold. */
const compileMatch = (
  { events = [], filters }: NonNullable<Route['cancel_on']>,
  { operators, profileDir, recompileAtReload, adopt, report }: StageKit,
): ((event: Event) => MaybePromise<boolean>) => {
  const isListed = events.length > 0 ? compileTypeList(events) : () => true
  if (filters === undefined) return isListed
  const holds = compileConditions(withDigits(filters as Json), {
    operators,
    profileDir,
    recompileAtReload,
    adopt,
    report: (code, path, message, help) => report(code, ['cancel_on', 'filters', ...path], message, help),
  })
  return (event) => {
    if (!isListed(event)) return false
    const verdict = holds(event)
    return verdict instanceof Promise ? verdict.then(({ pass }) => pass) : verdict.pass
  }
}
