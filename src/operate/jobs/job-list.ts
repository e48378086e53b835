/** Lists the scheduled jobs for people: the state of each, whether it runs now, and when it runs next. */

import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { pastTime } from '../../plan/job-time.ts'
import { describeJob, type JobFilter, type JobJson, readJobs } from './jobs.ts'
import { readRunningJobs } from './running-jobs.ts'

export type ListedJob = {
  /** The job as `list` prints it in JSON. */
  readonly job: JobJson
  /**
   * Whether a job whose only time is past can still run. `missed`: a gateway that starts soon still runs the job, if no gateway ran at that
   * time. `over`: the schedule never starts the job again. Absent for any other job.
   */
  readonly past?: 'over' | 'missed'
}

export type JobList = { readonly jobs: readonly ListedJob[]; readonly notices: readonly string[] }

/** Lists the jobs that the filter names. Throws a Fault as `readJobs` does. */
export const listJobs = async (workspace: Workspace, gateway: GatewayFinder, filter: JobFilter): Promise<JobList> => {
  const { jobs, notices } = await readJobs(workspace, filter)
  const running = await readRunningJobs(gateway)
  const now = Date.now()
  const listed = jobs.map((known): ListedJob => {
    const past = known.job && pastTime(known.job, now)
    return { job: describeJob(known, running.jobs, now), ...(past ? { past: past.isOver ? 'over' : 'missed' } : {}) }
  })
  return { jobs: listed, notices: [...notices, ...running.notices] }
}
