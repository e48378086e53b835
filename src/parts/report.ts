/** The functions that every part is compiled with: for its problems, and for its dependence on more than the configuration. */

import type { Code, Path } from '../core/diagnostic.ts'

/** Reports a problem at a path inside the spec that is being compiled. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/** Notes that the compiled part depends on a file or a job, so that each reload compiles it again. */
export type RecompileAtReload = () => void
