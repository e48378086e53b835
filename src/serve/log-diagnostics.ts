/** Logs the problems of the configuration files, each with its place. */

import type { Diagnostic } from '../core/diagnostic.ts'
import type { Log } from '../core/log.ts'
import { takingTurns } from '../core/turns/taking-turns.ts'

/** Logs a line for each Diagnostic, and gives turns of the event loop to requests in between. */
export const logDiagnostics = async (found: readonly Diagnostic[], log: Log): Promise<void> => {
  const turn = takingTurns()
  for (const { severity, code, route, place, help, message } of found) {
    const { file, line, column } = place ?? {}
    log(severity === 'warning' ? 'warn' : severity, { code, route, file, line, column, help }, message)
    await turn()
  }
}
