/** What every part is compiled with: a function for its problems, and one to say that it reads more than the configuration. */

import type { Code, Path } from '../core/diagnostic.ts'

/** Reports a problem at a path inside the spec that is being compiled. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/** Says that what is compiled depends on a file or a job, so that each reload compiles it again. */
export type LooksOutside = () => void
