/** The environment variables of runners. */

import { runnersEnv } from '../../../generated/settings.ts'
import type { RunnerEnv } from '../runner.ts'

/** Returns the variables that the schema declares for a built-in runner. */
export const builtinEnv = (runner: string): RunnerEnv => runnersEnv[runner] ?? {}
