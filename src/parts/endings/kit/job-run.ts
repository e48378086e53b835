/** A run of a scheduled job: one claim for schedule, event and hand alike, so that no job ever runs beside itself. */

import type { Lane, NewRun } from '../../../store/ports.ts'
import type { Job } from '../../effects.ts'

export type JobCause = Pick<NewRun, 'eventId' | 'route' | 'event' | 'deliveryId' | 'acceptedAt'> & {
  /** What an event brings; the job's stored prompt stays as it is (rules: Jobs 2). */
  readonly context?: string
}

export const jobRun = (job: Job, { context, ...cause }: JobCause): NewRun => ({
  ...cause,
  profile: job.profile,
  prompt: context === undefined ? job.prompt : [job.prompt, `Context of this run:\n${context}`].filter((text) => text !== '').join('\n\n'),
  delivery: job.delivery,
  job: job.id,
})

/** One run at a time. Profile names and job ids have no `/` in them. */
export const jobLane = ({ profile, id }: Job, whenFull: Lane['whenFull']): Lane => ({ key: `job/${profile}/${id}`, limit: 1, whenFull })
