/** A Warning is what a use case did or found, and its user should know. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/** `severity` is `info` where nothing need be wrong; absent, it is a warning. */
export type Warning = { readonly code: string; readonly message: string; readonly severity?: Exclude<Severity, 'error'> }

/** A Diagnostic as a warning, where it does not prevent what the user wants. */
export const warningOf = ({ code, message, severity }: Diagnostic): Warning =>
  severity === 'info' ? { code, message, severity } : { code, message }
