/** Makes the running gateway start a job now, even a paused job. */

import { exit, Fault } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { JobStart } from '../../generated/control.ts'
import { ambiguousJob, findJob, readJobs, unknownJob } from './jobs.ts'

type StartedJob = Extract<JobStart, { readonly started: true }>
type NotStarted = Exclude<JobStart, StartedJob>

/**
 * Starts the job that the reference names, by its id or name. Throws a Fault where no gateway runs, and where the gateway does not start
 * the job. Where no gateway runs and no file has the job, the Fault is about the job.
 */
export const runJob = async (workspace: Workspace, finder: GatewayFinder, profile: string, reference: string): Promise<StartedJob> => {
  const running = await finder.find()
  if (!running) findJob(await readJobs(workspace, { profile }), reference, workspace)
  const start = await (running ?? (await finder.need())).startJob({ profile, job: reference })
  if (start.started) return start
  if (start.reason !== 'job_missing') throw notStartedFault(start, start.reason, reference)
  const { jobs, notices } = await readJobs(workspace, { profile })
  throw unknownJob(reference, jobs, workspace.self, notices)
}

const notStartedFault = ({ jobs = [] }: NotStarted, reason: Exclude<NotStarted['reason'], 'job_missing'>, reference: string): Fault => {
  switch (reason) {
    case 'job_ambiguous':
      return ambiguousJob(
        reference,
        jobs.map((id) => ({ id })),
      )
    case 'job_running':
      return refusedFault(
        reason,
        `"${reference}" is running already: a job never runs twice at the same time`,
        'try again when that run has ended',
      )
    case 'job_disabled':
      return refusedFault(reason, `"${reference}" is disabled`, 'remove "enabled: false" from it')
  }
}

const refusedFault = (code: string, message: string, hint: string): Fault => new Fault(code, message, { exitCode: exit.no, hint })
