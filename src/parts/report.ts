/**
 * The functions that a part, such as a stage, a target or a runner, calls while it is compiled: to report a problem in its configuration,
 * and to have the plan of its route compiled again at each reload.
 */

import type { Code, Path } from '../core/diagnostic.ts'

/** Reports a problem in the part's configuration, at a path inside it. `help`: the way to mend the problem. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/**
 * Called by a stage, an ending or an operator that reads a file or a job. Each reload then compiles the whole plan of the route again,
 * because the file or the job may have changed.
 */
export type RecompileAtReload = () => void
