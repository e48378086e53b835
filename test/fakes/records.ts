/** Makes records of events as a journal gets them. */

import type { Received, RunEndedRecord } from '../../src/journal/record.ts'

/** The time of the first record. It is near the times of files that a test writes, because the age of these files counts. */
export const startMs = Date.now()

/** Returns the time so many seconds after `startMs`, as records have it. */
export const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString()

export const received = (event_id: string, second: number, more: Partial<Received> = {}): Received => ({
  kind: 'received',
  at: at(second),
  event_id,
  profile: 'default',
  route: 'r',
  event_type: 'push',
  delivery_id: `d-${event_id}`,
  outcome: 'accepted',
  stage: 'agent',
  status: 202,
  duration_ms: 1.5,
  ...more,
})

export const ended = (event_id: string, second: number, more: Partial<RunEndedRecord> = {}): RunEndedRecord => ({
  kind: 'ended',
  at: at(second),
  event_id,
  profile: 'default',
  route: 'r',
  event_type: 'push',
  delivery_id: `d-${event_id}`,
  state: 'done',
  attempt: 1,
  ...more,
})
