/** Makes the fields of a log line about a run: they say which run, event and attempt the line is about. */

import type { Lease } from '../store/ports.ts'

export const runFields = ({ run, attempt }: Lease) => ({
  route: run.route || undefined,
  job: run.job,
  profile: run.profile,
  delivery_id: run.deliveryId,
  event_id: run.eventId,
  event_type: run.event,
  attempt,
})
