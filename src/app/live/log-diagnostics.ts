/** The problems of the files as lines of the log, each with its place. */

import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Log } from '../../core/log.ts'
import { takingTurns } from '../../core/turns/taking-turns.ts'

/** Writes a line for each Diagnostic, and gives waiting requests their turns between the lines. */
export const logDiagnostics = async (found: readonly Diagnostic[], log: Log): Promise<void> => {
  const turn = takingTurns()
  for (const { severity, code, route, place, help, message } of found) {
    const { file, line, column } = place ?? {}
    log(severity === 'warning' ? 'warn' : severity, { code, route, file, line, column, help }, message)
    await turn()
  }
}
