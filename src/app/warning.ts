/** What a use case did, or found, that its user should look at. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/** What need not be wrong says so by its severity. */
export type Warning = { readonly code: string; readonly message: string; readonly severity?: Exclude<Severity, 'error'> }

/** A Diagnostic that does not forbid what was asked. */
export const warningOf = ({ code, message, severity }: Diagnostic): Warning =>
  severity === 'info' ? { code, message, severity } : { code, message }
