/** The environment variables of built-in runners, as the schema declares them. */

import { runnersEnv } from '../../../generated/settings.ts'
import type { RunnerEnv } from '../runner.ts'

/** Returns the names of the variables of a built-in runner, by setting; an empty map for a runner without variables. */
export const builtinEnv = (runner: string): RunnerEnv => runnersEnv[runner] ?? {}
