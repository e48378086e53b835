/** The environment variables of built-in runners, as the schema declares them. */

import { runnersEnv } from '../../../generated/settings.ts'
import type { RunnerEnv } from '../runner.ts'

/** Returns the names of a runner's variables. `runner`: its name. */
export const builtinEnv = (runner: string): RunnerEnv => runnersEnv[runner] ?? {}
