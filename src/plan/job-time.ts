/** Tells of a job whose one time is past whether the clock may still start it. */

import type { JobSource } from '../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { zonedIso } from '../expr/schedule.ts'
import type { ScheduledJob } from './jobs.ts'

export type PastTime = {
  /** The time in the job's zone, with its offset. */
  readonly at: string
  /** The clock never starts the job again. When `false`, its grace is not over: a gateway that was down starts it. */
  readonly isOver: boolean
  /** What to expect, as half a sentence. */
  readonly outlook: string
}

/** `undefined` when a time is still to come. `now`: wall time in milliseconds. */
export const pastTime = ({ schedule: { once }, graceMs, spec }: ScheduledJob, now: number): PastTime | undefined => {
  if (once === undefined || once > now) return undefined
  const at = zonedIso(once, spec.timezone)
  const end = once + graceMs
  if (end <= now) return { at, isOver: true, outlook: 'it will not run again by the clock' }
  const outlook = `it runs only if the gateway was down then and starts before ${zonedIso(end, spec.timezone)}`
  return { at, isOver: false, outlook }
}

/** A warning for a job whose time is past; no error, because a job that ran is normal. A disabled job is kept on purpose. */
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
