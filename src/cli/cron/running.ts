/** Which jobs run now, as the running gateway says. */

import { Fault } from '../../core/fault.ts'
import { tryGateway } from '../../http/control/ask.ts'
import type { RunningJob } from '../../runs/worker.ts'
import { type Cli, note } from '../shell/output.ts'

/** `undefined`: no gateway is there to ask, or it cannot tell; then nothing is claimed. */
export const askRunning = async (cli: Cli): Promise<readonly RunningJob[] | undefined> => {
  try {
    const answer = await tryGateway(cli.workspace, 'GET', '/jobs/running')
    return (answer as { jobs: readonly RunningJob[] } | undefined)?.jobs
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    note(cli, `which jobs run now is not known: ${error.message}`)
    return undefined
  }
}
