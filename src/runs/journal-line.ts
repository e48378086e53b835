/** The journal's line about an attempt: how it ended, or when it is made again. */

import type { Clock } from '../core/clock.ts'
import type { JournalRecord } from '../journal/record.ts'
import { targetsOf } from '../parts/destination.ts'
import type { Lease, RunEnd } from '../store/ports.ts'

const isoOf = (ms: number): string => new Date(ms).toISOString()

/** What the journal says of an attempt's end. */
export const recordOfAttempt = ({ run, attempt }: Lease, end: RunEnd, clock: Clock): JournalRecord => {
  const at = isoOf(clock.now())
  if (end.kind === 'again')
    return {
      kind: 'tried',
      at,
      event_id: run.eventId,
      attempt,
      error: end.error,
      next_at: isoOf(clock.now() + Math.max(0, end.at - clock.monotonic())),
    }
  return {
    kind: 'ended',
    at,
    event_id: run.eventId,
    profile: run.profile,
    route: run.route,
    event_type: run.event,
    delivery_id: run.deliveryId,
    state: end.kind,
    attempt,
    target: (end.kind === 'done' && end.to?.join(', ')) || targetsOf(run.delivery),
    ...(end.kind === 'dead' ? { error: end.error } : end.silent ? { silent: true } : {}),
    ...(run.job === undefined ? {} : { job: run.job }),
    ...(run.merged ? { group: run.merged.group, count: run.merged.count } : {}),
  }
}
