/** Reads one whole job for people, with its secrets masked, the times of its next runs, and what keeps it from running. */

import type { Json } from '../../core/json.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import { type Warning, warningOf } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { zonedIso } from '../../expr/schedule.ts'
import { pastTime } from '../../plan/job-time.ts'
import type { ScheduledJob } from '../../plan/jobs.ts'
import { maskJson } from '../../secrets/mask.ts'
import { describeJob, findJob, type JobFilter, type JobJson, readJobs } from './jobs.ts'
import { readRunningJobs } from './running-jobs.ts'

export type JobDetail = {
  /** The job as `list` prints it in JSON. */
  readonly job: JobJson
  /** The entry as it is written, with its secrets masked. */
  readonly fields: Json
  /** The times of the next runs: ISO 8601, in the zone of the job. */
  readonly nextRuns: readonly string[]
  /** Says whether a job whose only time is past will still run; absent for any other job. */
  readonly outlook?: string
  readonly warnings: readonly Warning[]
  readonly notices: readonly string[]
}

const shownRuns = 3

/** Reads one job. `reference`: the id or the name of the job. Throws a Fault where the reference names no job, or several. */
export const readJobDetail = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  reference: string,
  filter: JobFilter,
): Promise<JobDetail> => {
  const jobs = await readJobs(workspace, filter)
  const entry = findJob(jobs, reference, workspace)
  const running = await readRunningJobs(gateway)
  const now = Date.now()
  const past = entry.job && pastTime(entry.job, now)
  return {
    job: describeJob(entry, running.jobs, now),
    fields: maskJson(entry.written),
    nextRuns: entry.state === 'active' && entry.job ? runsOf(entry.job, now) : [],
    ...(past ? { outlook: past.outlook } : {}),
    warnings: entry.problems.map(warningOf),
    notices: [...jobs.notices, ...running.notices],
  }
}

const runsOf = ({ schedule, spec }: ScheduledJob, now: number): readonly string[] => {
  const runs: string[] = []
  for (let at = schedule.next(now); at !== undefined && runs.length < shownRuns; at = schedule.next(at))
    runs.push(zonedIso(at, spec.timezone))
  return runs
}
