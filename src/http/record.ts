/** What the journal says of a request past its signature, and of how it was answered. */

import type { RoutePlan } from '../core/plan.ts'
import type { Ended } from '../engine/run.ts'
import type { RawRequest, Received } from '../journal/record.ts'
import { describe } from './report.ts'

type Recorded = { readonly received: Received; readonly raw: RawRequest }

/** `undefined` for a request whose signature did not hold: it leaves no record. */
export const recordOf = ({ outcome, stage, verified, event }: Ended, { name, profile }: RoutePlan, ms: number): Recorded | undefined => {
  if (!verified) return undefined
  return {
    received: {
      kind: 'received',
      at: new Date(verified.at).toISOString(),
      event_id: verified.eventId,
      profile,
      route: name,
      ...(event ? { event_type: event.eventType, delivery_id: event.deliveryId } : {}),
      ...describe(outcome),
      stage,
      duration_ms: Math.round(ms * 1000) / 1000,
      ...('target' in outcome ? { target: outcome.target } : {}),
      ...('cronJob' in outcome && outcome.cronJob !== undefined ? { job: outcome.cronJob } : {}),
      ...('group' in outcome ? { group: outcome.group } : {}),
    },
    raw: { headers: verified.headers as RawRequest['headers'], body: verified.body },
  }
}
