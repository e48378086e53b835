/** What a use case tells its user although it succeeded. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/** A warning. `severity` is `info` where nothing need be wrong; absent, it is a warning. `help` is the way out. */
export type Warning = {
  readonly code: string
  readonly message: string
  readonly severity?: Exclude<Severity, 'error'>
  readonly help?: string
}

/** Makes a warning of a Diagnostic, without its `help`. */
export const warningOf = ({ code, message, severity }: Diagnostic): Warning =>
  severity === 'info' ? { code, message, severity } : { code, message }

/** Makes a warning of a Diagnostic, with its `help`. */
export const adviceOf = (each: Diagnostic): Warning => ({ ...warningOf(each), ...(each.help === undefined ? {} : { help: each.help }) })
