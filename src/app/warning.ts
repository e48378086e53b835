/** Warnings: what a use case tells its user besides a successful result. */

import type { Diagnostic, Severity } from '../core/diagnostic.ts'

/** A warning. `severity`: `info` where nothing need be wrong; absent for an ordinary warning. `help`: how to solve the problem. */
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
