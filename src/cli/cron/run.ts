/** `cron run <job>`: asks the running gateway to start a job now. */

import { defaultProfile } from '../../config/config.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { runJob } from '../../operate/jobs/run-job.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli } from '../shell/output.ts'

export const cronRun = async (reference: string, { profile = defaultProfile }: ProfileOption, cli: Cli): Promise<number> => {
  const { workspace } = cli
  const { job, event_id } = await runJob(workspace, gatewayAt(workspace), profile, reference)
  const text = `started  ${job}\nevent    ${event_id}\n${cli.quiet ? '' : `follow   ${workspace.self} events show ${event_id}\n`}`
  return answer(cli, { kind: 'cron.run', data: { job, profile, event_id }, text })
}
