/** What a format is given, and what it makes of it. */

import type { Validated } from '../../app/validate/validate.ts'
import type { Paint } from '../shell/paint.ts'

export type Report = Validated & {
  /** How many findings are not shown, though counted (`--max`). */
  readonly withheld: number
  /** Where a finding is shown that has no place, by formats that must name a file. */
  readonly fallbackFile: string
  /** The folder whose name is left out of fingerprints. */
  readonly folder: string
  /** The call of this check, to which options can be added. */
  readonly call: string
  /** Warnings count as failures (`--deny-warnings`). */
  readonly denyWarnings: boolean
  readonly paint: Paint
  /** How long it took; absent where the text should be the same each time. */
  readonly ms?: number
}

/** The whole text, ending in a line feed unless it is empty. No secret is in it. */
export type Render = (report: Report) => string
