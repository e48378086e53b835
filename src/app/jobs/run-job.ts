/** Makes the running gateway start a job now, also a paused one. */

import { exit, Fault } from '../../core/fault.ts'
import type { JobStart } from '../../generated/control.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import { ambiguousJob, findJob, readKnownJobs, unknownJob } from './jobs.ts'

type Started = Extract<JobStart, { readonly started: true }>
type NotStarted = Exclude<JobStart, Started>

/** `fault` says why the job was not started. The caller throws it after it has shown the notices. */
export type JobRun = Started | { readonly started: false; readonly fault: Fault; readonly notices: readonly string[] }

/** Throws a Fault where no gateway runs; that the files have no such job is said first. */
export const runJob = async (workspace: Workspace, finder: GatewayFinder, profile: string, reference: string): Promise<JobRun> => {
  const running = await finder.find()
  if (!running) findJob(await readKnownJobs(workspace, { profile }), reference, workspace)
  const start = await (running ?? (await finder.need())).startJob({ profile, job: reference })
  if (start.started) return start
  if (start.reason !== 'job_missing') return { started: false, fault: refusalOf(start, start.reason, reference), notices: [] }
  const { jobs, notices } = await readKnownJobs(workspace, { profile })
  return { started: false, fault: unknownJob(reference, jobs, workspace.self), notices }
}

const refusalOf = ({ jobs = [] }: NotStarted, reason: Exclude<NotStarted['reason'], 'job_missing'>, reference: string): Fault => {
  switch (reason) {
    case 'job_ambiguous':
      return ambiguousJob(
        reference,
        jobs.map((id) => ({ id })),
      )
    case 'job_running':
      return no(reason, `"${reference}" is running already: it is never started beside itself`, 'try again when that run has ended')
    case 'job_disabled':
      return no(reason, `"${reference}" is disabled`, 'remove "enabled: false" from it')
  }
}

const no = (code: string, message: string, hint: string): Fault => new Fault(code, message, { exitCode: exit.no, hint })
