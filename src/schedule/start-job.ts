/** Starts a run of a scheduled job. A lane keeps the job from running twice at once, a claim keeps a time from being started twice. */

import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/facts/facts.ts'
import { jobLane, jobRun } from '../parts/job-run.ts'
import type { ScheduledJob } from '../plan/jobs.ts'
import type { Accepted, Store } from '../store/ports.ts'

/** What the start of a job needs. `wake` wakes the worker for new work. */
export type JobStarter = {
  readonly store: Pick<Store, 'accept'>
  readonly clock: Clock
  readonly facts: Pick<Facts, 'emit'>
  readonly wake: () => void
}

/** Why a job is started, and the ids of its event. `deliveryId`: for a schedule, job and time; by hand, a new id. */
export type JobTrigger = { readonly eventId: string; readonly event: 'schedule' | 'manual'; readonly deliveryId: string }

/**
 * How long the claim of a started time lasts beyond the grace of its job: a clock that is wrong by less than a day starts no time twice.
 */
const keptMs = 86_400_000

/**
 * Stores a run of the job. Resolves to `duplicate` when this time was started before, and to `busy` when a run of the job is still open.
 * Throws a StoreFault; the run may have been stored even then.
 */
export const startJob = async (job: ScheduledJob, cause: JobTrigger, { store, clock, facts, wake }: JobStarter): Promise<Accepted> => {
  const run = jobRun(job, { ...cause, route: '', acceptedAt: clock.now() })
  // The key cannot be that of a request's claim, which begins with a profile: no profile name begins with `@`.
  const claim = { key: `@cron/${job.profile}/${cause.deliveryId}`, holdMs: job.graceMs + keptMs }
  try {
    const accepted = await store.accept(run, claim, jobLane(job, 'refuse'))
    if (accepted !== 'accepted') return accepted
    const { acceptedAt: at, eventId, profile, deliveryId } = run
    facts.emit({ kind: 'job_started', at, eventId, profile, job: job.id, deliveryId })
    return accepted
  } finally {
    // A store that failed may have committed the run. The worker polls for the run when the store works again.
    wake()
  }
}
