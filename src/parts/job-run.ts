/** Makes runs of scheduled jobs. All runs of a job share a lane, whoever starts them, so a job never runs twice at the same time. */

import { joinPrompts, type Prompt, plainPrompt } from '../core/prompt.ts'
import type { Lane, NewRun } from '../store/ports.ts'
import type { Job } from './effects.ts'

export type JobCause = Pick<NewRun, 'eventId' | 'route' | 'event' | 'deliveryId' | 'acceptedAt'> & {
  /** The text that an event adds for this run. The job's own prompt does not change (rules: Jobs 2). */
  readonly context?: Prompt
}

export const jobRun = (job: Job, { context, ...cause }: JobCause): NewRun => ({
  ...cause,
  profile: job.profile,
  ...promptFields(
    context === undefined ? plainPrompt(job.prompt) : joinPrompts([job.prompt && `${job.prompt}\n\n`, 'Context of this run:\n', context]),
  ),
  delivery: job.delivery,
  job: job.id,
})

/** Returns the fields of a run that hold its prompt. */
const promptFields = ({ text, untrusted }: Prompt): Pick<NewRun, 'prompt' | 'untrusted'> => ({
  prompt: text,
  ...(untrusted.length > 0 ? { untrusted } : {}),
})

/**
 * Returns the lane of a job, which allows one run at a time. Profile names and job ids contain no `/`, so each job has a lane of its own.
 */
export const jobLane = ({ profile, id }: Job, whenFull: Lane['whenFull']): Lane => ({ key: `job/${profile}/${id}`, limit: 1, whenFull })
