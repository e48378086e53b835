/** A Warning tells the user of a use case something that did not prevent it. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/** A warning. `severity` is `info` where nothing need be wrong, and absent for a real warning. `help` is the way out. */
export type Warning = {
  readonly code: string
  readonly message: string
  readonly severity?: Exclude<Severity, 'error'>
  readonly help?: string
}

/** Makes a warning of a Diagnostic. */
export const warningOf = ({ code, message, severity }: Diagnostic): Warning =>
  severity === 'info' ? { code, message, severity } : { code, message }

/** Makes a warning of a Diagnostic, with its way out. */
export const adviceOf = (each: Diagnostic): Warning => ({ ...warningOf(each), ...(each.help === undefined ? {} : { help: each.help }) })
