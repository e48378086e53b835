/** What the journal says of a request past its signature, and of how it was answered. */

import type { RoutePlan } from '../core/plan.ts'
import type { Ended } from '../engine/run.ts'
import type { RawRequest, Received } from '../journal/record.ts'
import { describe } from './report.ts'

type Recorded = { readonly received: Received; readonly raw: RawRequest }

/** `undefined` for a request that nobody vouched for: it leaves no record. */
export const recordOf = ({ outcome, stage, vouched, opened }: Ended, { name, profile }: RoutePlan, ms: number): Recorded | undefined => {
  if (!vouched) return undefined
  return {
    received: {
      kind: 'received',
      at: new Date(vouched.at).toISOString(),
      event_id: vouched.eventId,
      profile,
      route: name,
      ...(opened ? { event_type: opened.eventType, delivery_id: opened.deliveryId } : {}),
      ...describe(outcome),
      stage,
      duration_ms: Math.round(ms * 1000) / 1000,
      ...('target' in outcome ? { target: outcome.target } : {}),
      ...('cronJob' in outcome && outcome.cronJob !== undefined ? { job: outcome.cronJob } : {}),
      ...('group' in outcome ? { group: outcome.group } : {}),
    },
    raw: { headers: vouched.headers as RawRequest['headers'], body: vouched.body },
  }
}
