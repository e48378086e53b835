/**
 * The ending of a route with `cron_job`: the event starts an existing scheduled job, and the route's rendered prompt is added to the job's
 * own prompt as context for this run (rules: Jobs 2, 3). Where the job cannot be started, the event is ignored.
 */

import type { Ignored, Outcome } from '../../core/outcome.ts'
import type { Prompt } from '../../core/prompt.ts'
import type { Event } from '../../core/request.ts'
import { claimOf, heldBack, holdMsOf } from '../claim.ts'
import { commitWork } from '../commit-work.ts'
import type { Job } from '../effects.ts'
import { jobLane, jobRun } from '../job-run.ts'
import type { StageKit } from '../stages/stage.ts'
import type { EndingPart } from './ending.ts'
import { jobEventFields } from './kit/accept.ts'
import { compilePrompt } from './kit/message.ts'

export const cronJob: EndingPart = {
  name: 'cron_job',
  mode: 'cron',
  fits: (route) => route.deliver_only !== true && route.cron_job !== undefined,
  compile(route, kit) {
    const reference = route.cron_job ?? ''
    const whenFull = route.cron_job_running === 'queue' ? 'wait' : 'refuse'
    kit.recompileAtReload()
    checkJob(reference, kit)
    const renderContext = compilePrompt(route, kit)
    const holdMs = holdMsOf(route)
    return async (event) => {
      // The job is looked up for each event, because it can be made, paused or removed while the route's plan stays in use.
      const [job, ...others] = kit.effects.jobs.find(kit.profile, reference)
      if (!job || others.length > 0)
        return dropEvent(event, 'job_missing', job ? whyAmbiguous(reference, [job, ...others]) : whyNoJob(reference, kit), kit)
      if (job.state !== 'active') return dropEvent(event, `job_${job.state}`, whyIdle(job), kit)
      const context = await renderContext(event)
      return acceptJobRun(event, { job, context, whenFull, holdMs }, kit)
    }
  },
}

// The reasons why an event starts no job, for people.
const whyMissing = (reference: string): string => `there is no scheduled job "${reference}"`
const whyNoJob = (reference: string, { effects, profile }: StageKit): string =>
  effects.jobs.isRefused(profile, reference)
    ? `the scheduled job "${reference}" is refused: headgate validate says why`
    : whyMissing(reference)
const whyAmbiguous = (reference: string, jobs: readonly Job[]): string =>
  `${jobs.length} scheduled jobs are named "${reference}": ${jobs.map(({ id }) => id).join(', ')}`
const whyIdle = ({ id, state }: Job): string => `the scheduled job "${id}" is ${state}`

/**
 * Called when the route is compiled: reports a reference that names no job, several jobs, or a job that is not active. The mistakes of a
 * refused job are reported elsewhere.
 */
const checkJob = (reference: string, { effects, profile, report }: StageKit): void => {
  const jobs = effects.jobs.find(profile, reference)
  const [job] = jobs
  if (!job && effects.jobs.isRefused(profile, reference)) return
  if (!job) report('WH217', ['cron_job'], whyMissing(reference), 'headgate cron list shows those there are')
  else if (jobs.length > 1) report('WH218', ['cron_job'], whyAmbiguous(reference, jobs), 'name one by its id')
  else if (job.state !== 'active')
    report(
      'WH219',
      ['cron_job'],
      `${whyIdle(job)}: events are ignored`,
      job.state === 'paused' ? `headgate cron resume ${job.id}` : 'enable it',
    )
}

/** Ignores the event, and logs why the job is not started. The ending does not claim the delivery id (rules: Jobs 5). */
const dropEvent = (event: Event, reason: Ignored['reason'], why: string, { effects }: StageKit): Ignored => {
  const { profile, route, deliveryId } = event
  const fields = { profile, route, delivery_id: deliveryId, event_type: event.eventType, reason: why }
  effects.log(reason === 'job_missing' ? 'warn' : 'info', fields, 'the event is dropped')
  return ignoredEvent(event, reason, why)
}

const ignoredEvent = ({ route, deliveryId }: Event, reason: Ignored['reason'], why: string): Ignored => ({
  kind: 'ignored',
  reason,
  route,
  deliveryId,
  detail: () => why,
})

/** A start of a job. `whenFull`: what becomes of the event while the job runs already. `holdMs`: how long the event's id is kept. */
type JobStart = { readonly job: Job; readonly context: Prompt; readonly whenFull: 'wait' | 'refuse'; readonly holdMs: number }

const acceptJobRun = (event: Event, { job, context, whenFull, holdMs }: JobStart, { effects }: StageKit): Promise<Outcome> => {
  const run = jobRun(job, { ...jobEventFields(event), context })
  const claim = claimOf(event, holdMs)
  return commitWork(effects, { run, claim, lane: jobLane(job, whenFull), ending: claim.ending }, (handed) => {
    if (handed === 'duplicate' || handed === 'repeated') return heldBack(event, handed, claim)
    if (handed === 'busy') return ignoredEvent(event, 'job_running', `the scheduled job "${job.id}" is running`)
    return { kind: 'accepted', route: run.route, event: run.event, deliveryId: run.deliveryId, cronJob: job.id }
  })
}
