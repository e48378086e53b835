/**
 * The functions that a part, such as a stage, a target or a runner, calls while it is compiled: to report a problem in its configuration,
 * and to have the plan of its route compiled again at each reload.
 */

import type { Code, Path } from '../core/diagnostic.ts'

/** A place in a JSON file that the configuration names. `pointer`: RFC 6901; empty for the whole file. */
type PlaceInFile = { readonly file: string; readonly pointer: string }

/** As `Report`. `inFile`: where the mistake stands, if it is in a file that the configuration names. */
export type StageReport = (code: Code, path: Path, message: string, help: string, inFile?: PlaceInFile) => void

/**
 * Called by a stage, an ending or an operator that reads a file or a job. Each reload then compiles the whole plan of the route again,
 * because the file or the job may have changed.
 */
export type RecompileAtReload = () => void
