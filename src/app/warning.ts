/** A Warning is what a use case did or found, and its user should know. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/** `severity` is `info` where nothing need be wrong; absent, it is a warning. `help` says what to do. */
export type Warning = {
  readonly code: string
  readonly message: string
  readonly severity?: Exclude<Severity, 'error'>
  readonly help?: string
}

/** A Diagnostic as a warning, where it does not prevent what the user wants. */
export const warningOf = ({ code, message, severity }: Diagnostic): Warning =>
  severity === 'info' ? { code, message, severity } : { code, message }

/** The same with its way out. */
export const adviceOf = (each: Diagnostic): Warning => ({ ...warningOf(each), ...(each.help === undefined ? {} : { help: each.help }) })
