/** Judges errors of the database: what became of the statement, and what to tell the caller. */

import { messageOf, StoreFault } from '../../core/fault.ts'
import { own } from '../../core/json.ts'

/**
 * `undone`: the statement was rolled back, because it met another one; it may be sent again. `refused`: it was rolled back, and sending it
 * again would be of no use now. `standby`: the server takes no changes. `unknown`: the connection broke, and the statement may have been
 * committed.
 */
export type Verdict = 'undone' | 'refused' | 'standby' | 'unknown'

/** The SQLSTATE of an error; empty for an error that no server sent. */
export const sqlState = (error: unknown): string => {
  const fields = error as { [key: string]: unknown }
  const code = own(fields, 'code')
  // An error of the system has a code, too, but no severity.
  return typeof code === 'string' && own(fields, 'severity') !== undefined ? code : ''
}

export const judge = (error: unknown): Verdict => {
  const state = sqlState(error)
  if (state === '40001' || state === '40P01') return 'undone'
  if (state === '25006') return 'standby'
  // 08: the connection; 57P: the server ends the session; 40003: it does not know the outcome itself.
  if (state === '' || state === '40003' || state.startsWith('08') || state.startsWith('57P')) return 'unknown'
  return 'refused'
}

/** The fault of a call. Only the message of the error is shown, because its details may have what a sender wrote. */
export const storeFault = (error: unknown): StoreFault =>
  error instanceof StoreFault ? error : new StoreFault(`the database: ${messageOf(error)}`)
