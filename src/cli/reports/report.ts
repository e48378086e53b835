/** The input of a format, and the function that makes the text. */

import type { Validated } from '../../app/validate/validate.ts'
import type { Paint } from '../shell/paint.ts'

export type FindingsReport = Validated & {
  /** The number of findings that are counted but not shown (`--max`). */
  readonly withheld: number
  /** The file that a finding without a place is shown at, by formats that must name a file. */
  readonly fallbackFile: string
  /** The folder whose path is left out of fingerprints. */
  readonly folder: string
  /** The command line of this check, to which options can be added. */
  readonly call: string
  /** Warnings count as failures (`--deny-warnings`). */
  readonly denyWarnings: boolean
  readonly paint: Paint
  /** The duration of the check, in milliseconds; absent where the text must be the same each time. */
  readonly ms?: number
}

/** Returns the whole text. It ends in a line feed unless it is empty, and holds no secret. */
export type Render = (report: FindingsReport) => string
