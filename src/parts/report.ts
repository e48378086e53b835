/** The functions with which a part reports a problem in its spec, and says that its plan must be compiled again at each reload. */

import type { Code, Path } from '../core/diagnostic.ts'

/** Reports a problem at a path inside the spec that is being compiled. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/**
 * Called by a stage, an ending or an operator that reads a file or a job. Each reload then compiles the whole plan of the route again,
 * because the file or the job may have changed.
 */
export type RecompileAtReload = () => void
