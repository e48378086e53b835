/** Warnings, which a use case returns beside a successful result, for its user to see. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/**
 * `code`: the code of the finding. `severity`: `info` where nothing need be wrong; absent for an ordinary warning. `help`: how to solve the
 * problem.
 */
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
export const warningWithHelp = (found: Diagnostic): Warning => ({
  ...warningOf(found),
  ...(found.help === undefined ? {} : { help: found.help }),
})
