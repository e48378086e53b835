/** Makes runs of scheduled jobs. All runs of a job share a lane, whoever starts them, so a job never runs twice at the same time. */

import type { NewRun } from '../core/new-run.ts'
import { joinPrompts, type Prompt, plainPrompt } from '../core/prompt.ts'
import type { Lane } from '../store/ports.ts'
import type { Job } from './effects.ts'

/** The cause of a run: a time of the schedule, a command or an event. These fields of the run come from its cause. */
export type JobCause = Pick<NewRun, 'eventId' | 'route' | 'event' | 'deliveryId' | 'acceptedAt' | 'traceparent' | 'endKeys'> & {
  /** The text that an event adds for this run. The job's own prompt does not change (rules: Jobs 2). */
  readonly context?: Prompt
}

/** Makes a run of a job. The context of the cause, where there is one, follows the prompt of the job. */
export const jobRun = (job: Job, { context, ...cause }: JobCause): NewRun => ({
  ...cause,
  profile: job.profile,
  ...promptFields(
    context === undefined ? plainPrompt(job.prompt) : joinPrompts([job.prompt && `${job.prompt}\n\n`, 'Context of this run:\n', context]),
  ),
  delivery: job.delivery,
  job: job.id,
})

/** Returns the fields of a run for its prompt: the text, and the parts of the text that count as a sender's (`untrusted`). */
const promptFields = ({ text, untrusted }: Prompt): Pick<NewRun, 'prompt' | 'untrusted'> => ({
  prompt: text,
  ...(untrusted.length > 0 ? { untrusted } : {}),
})

/**
 * Returns the lane of a job, which allows one run at a time. Profile names and job ids contain no `/`, so each job has a lane of its own.
 */
export const jobLane = ({ profile, id }: Job, whenFull: Lane['whenFull']): Lane => ({ key: `job/${profile}/${id}`, limit: 1, whenFull })
