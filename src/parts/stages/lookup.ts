/**
 * The gate `lookup` asks the questions under `lookup` of the route, and judges the filters that read the answers. It comes after the filters
 * that the payload alone decides, and after the limit of events, so that no question is asked in vain (rules: Lookups 1).
 */

import { type Ignored, type Refused, refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { compileLookups, type FailedLookup } from '../route-lookups.ts'
import { compileFilters } from './kit/compile-filters.ts'
import type { StageKit, StagePart } from './stage.ts'

/** After this time a sender may send an event again whose lookup failed and named no time. */
const retryAfterMs = 5_000

export const lookup: StagePart = {
  name: 'lookup',
  compile(route, kit) {
    if (route.lookup === undefined) return {}
    const { ask } = compileLookups(route, kit)
    const judge = compileFilters(route, kit, lookup.name, true)
    return {
      onEvent: kit.expressions.around(async (event) => {
        const asked = await ask(event)
        if (asked.failed) return endOf(asked.failed, event, kit)
        for (const { name, why } of asked.passed) tellFailed(name, why, event, kit)
        const known = { ...event, lookup: asked.lookup }
        kit.effects.onlooker?.lookedUp(known)
        return judge ? judge(known) : known
      }),
    }
  },
}

/** Returns the end of an event whose lookup failed. A question that is wrong itself is not answered by a repeat either. */
const endOf = ({ name, why, onFailure, isFinal, retryAfterMs: asked }: FailedLookup, event: Event, kit: StageKit): Ignored | Refused => {
  const detail = `lookup.${name}: ${why}`
  if (onFailure === 'retry' && !isFinal)
    return refuse('lookup_failed', { retryAfterSeconds: Math.max(1, Math.ceil((asked ?? retryAfterMs) / 1000)), detail })
  tellFailed(name, why, event, kit)
  return { kind: 'ignored', reason: 'lookup', route: kit.name, detail: () => detail }
}

const tellFailed = (name: string, reason: string, { deliveryId, eventType }: Event, { name: route, profile, effects }: StageKit): void =>
  effects.log('warn', { route, profile, delivery_id: deliveryId, event_type: eventType, lookup: name, reason }, 'lookup failed')
