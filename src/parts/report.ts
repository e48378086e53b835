/** What every part is compiled with: where its findings go, and a way to say that it reads more than the configuration. */

import type { Code, Path } from '../core/diagnostic.ts'

/** Collects a problem at a path inside the spec that is being compiled. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/** Says that what is compiled depends on more than the configuration (a file, a job): it is looked at anew at each reload. */
export type LooksOutside = () => void
