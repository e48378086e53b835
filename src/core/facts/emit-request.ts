/** Emits the end of a request: a fact of the request, then one of each of its events, where the request was split or dispatched. */

import type { RequestEnded } from './fact.ts'
import type { Facts } from './facts.ts'

export const emitRequest = (facts: Pick<Facts, 'emit'>, fact: RequestEnded): void => {
  const { items, verified } = fact.ended
  facts.emit(fact)
  if (!items || !verified) return
  for (const { outcome, stage, event, index } of items) {
    const { route: name, profile, eventId } = event
    facts.emit({
      ...fact,
      route: { name, profile },
      ended: { outcome, stage, event, verified: { ...verified, eventId } },
      batch: { of: verified.eventId, index, by: name === fact.route?.name ? undefined : fact.route?.name },
    })
  }
}
