/** `cron run <job>`: asks the running gateway to start a job now. */

import { ambiguousJob, readKnownJobs, unknownJob } from '../../app/jobs.ts'
import { defaultProfile } from '../../config/config.ts'
import { exit, Fault } from '../../core/fault.ts'
import { gatewayAt } from '../../http/control/client.ts'
import type { JobStart } from '../../schedule/start-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export const cronRun = async (reference: string, { profile = defaultProfile }: ProfileOption, cli: Cli): Promise<number> => {
  const gateway = await gatewayAt(cli.workspace).need()
  const start = await gateway.startJob(profile, reference)
  if (!start.started) throw await refusal(start, reference, profile, cli)
  const { job, event_id } = start
  const text = `started  ${job}\nevent    ${event_id}\n${cli.quiet ? '' : `follow   ${cli.workspace.self} events show ${event_id}\n`}`
  return answer(cli, { kind: 'cron.run', data: { job, profile, event_id }, text })
}

const refusal = async (
  { reason, jobs = [] }: JobStart & { started: false },
  reference: string,
  profile: string,
  cli: Cli,
): Promise<Fault> => {
  switch (reason) {
    case 'job_missing': {
      const known = await readKnownJobs(cli.workspace, { profile })
      note(cli, ...known.notices)
      return unknownJob(reference, known.jobs, cli.workspace.self)
    }
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
