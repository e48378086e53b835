/** Asks the running gateway which jobs run now. */

import { Fault } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { RunningJob } from '../../generated/control.ts'

export type RunningJobs = {
  /** The jobs that run now; `undefined` where no gateway runs, or where it gave no answer. */
  readonly jobs: readonly RunningJob[] | undefined
  readonly notices: readonly string[]
}

/** Asks the gateway. Where the gateway gives no answer, returns a notice instead of throwing the Fault. */
export const readRunningJobs = async (gateway: GatewayFinder): Promise<RunningJobs> => {
  try {
    const running = await gateway.find()
    return { jobs: (await running?.runningJobs())?.jobs, notices: [] }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { jobs: undefined, notices: [`which jobs run now is not known: ${error.message}`] }
  }
}
