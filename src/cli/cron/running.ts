/** Which jobs run now, for the commands that show jobs. */

import { readRunningJobs } from '../../app/jobs/running-jobs.ts'
import type { RunningJob } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type Cli, note } from '../shell/output.ts'

/** `undefined` where no gateway can tell. A notice says why. */
export const askRunning = async (cli: Cli): Promise<readonly RunningJob[] | undefined> => {
  const { jobs, notices } = await readRunningJobs(gatewayAt(cli.workspace))
  note(cli, ...notices)
  return jobs
}
