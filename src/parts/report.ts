/**
 * The functions that a part of a plan, such as a stage or a target, calls while it is compiled: to report a problem in its configuration,
 * and to have its plan compiled again at each reload.
 */

import type { Code, Path } from '../core/diagnostic.ts'

/** Reports a problem in the part's configuration, at a path inside it. `help`: the way to mend the problem. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/**
 * Called by a stage, an ending or an operator that reads a file or a job. Each reload then compiles the whole plan of the route again,
 * because the file or the job may have changed.
 */
export type RecompileAtReload = () => void
