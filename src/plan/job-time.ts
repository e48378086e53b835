/** Says whether a job whose only time is past can still be started by its schedule. */

import type { JobSource } from '../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { zonedIso } from '../expr/schedule.ts'
import type { ScheduledJob } from './jobs.ts'

export type PastTime = {
  /** The time in the job's zone, with its offset. */
  readonly at: string
  /**
   * `true`: the schedule never starts the job again. `false`: the job's grace time is not over, so a gateway that was down still starts it.
   */
  readonly isOver: boolean
  /** The second half of a sentence, which says whether the job will run. */
  readonly outlook: string
}

/** Returns the past time of a job with one time; `undefined` for any job that has a time to come. `now`: wall time in milliseconds. */
export const pastTime = ({ schedule: { once }, graceMs, spec }: ScheduledJob, now: number): PastTime | undefined => {
  if (once === undefined || once > now) return undefined
  const at = zonedIso(once, spec.timezone)
  const end = once + graceMs
  if (end <= now) return { at, isOver: true, outlook: 'it will not run again by the clock' }
  const outlook = `it runs only if the gateway was down then and starts before ${zonedIso(end, spec.timezone)}`
  return { at, isOver: false, outlook }
}

/**
 * Warns of a job whose only time is past (WH224). That is no error, because the job may have run then. A disabled job is kept on purpose,
 * so there is no warning.
 */
export const checkTime = (job: ScheduledJob, { base, place }: JobSource, now = Date.now()): Diagnostic[] => {
  const past = job.state === 'disabled' ? undefined : pastTime(job, now)
  if (!past) return []
  const path = [...base, 'schedule']
  const help = 'remove the job, or give it a time to come'
  return [
    diagnostic('WH224', `job "${job.id}": its time, ${past.at}, is past: ${past.outlook}`, {
      pointer: pointerOf(path),
      place: place(path),
      help,
    }),
  ]
}
