/** What the formats of `validate` have in common: each is a function from the report, which has the findings, to a text. */

import type { Validated } from '../../check/validate/validate.ts'
import type { Paint } from '../shell/paint.ts'

export type FindingsReport = Validated & {
  /** The number of findings that are counted but not shown (`--max`). */
  readonly withheld: number
  /** The file that formats name for a finding without a place, if they must name a file. */
  readonly fallbackFile: string
  /** The data directory. Fingerprints of findings leave out its path, so that they are the same on another machine. */
  readonly folder: string
  /** The command line of this check, to which options can be added. */
  readonly call: string
  /** Warnings count as failures (`--deny-warnings`). */
  readonly denyWarnings: boolean
  readonly paint: Paint
  /** The duration of the check, in milliseconds; absent where the text must be the same each time. */
  readonly ms?: number
}

/** A format: returns the whole text of a report. The text ends in a line feed unless it is empty, and holds no secret. */
export type Render = (report: FindingsReport) => string
