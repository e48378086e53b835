/** Emits the end of a request: a fact of the request, then one of each of its items, where the request was split. */

import type { RequestEnded } from './fact.ts'
import type { Facts } from './facts.ts'

export const emitRequest = (facts: Pick<Facts, 'emit'>, fact: RequestEnded): void => {
  const { items, verified } = fact.ended
  facts.emit(fact)
  if (!items || !verified) return
  for (const [index, { outcome, stage, event }] of items.entries())
    facts.emit({
      ...fact,
      ended: { outcome, stage, event, verified: { ...verified, eventId: event.eventId } },
      batch: { of: verified.eventId, index },
    })
}
