/** What a part reports while it is compiled: its problems, and that it reads more than the configuration. */

import type { Code, Path } from '../core/diagnostic.ts'

/** Reports a problem at a path inside the spec that is being compiled. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/** Call this when what is compiled depends on a file or a job: each reload compiles it again then. */
export type RecompileAtReload = () => void
