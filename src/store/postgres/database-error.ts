/** Judges errors of the database: whether the failed statement may have been committed, and what to tell the caller. */

import { messageOf, StoreFault } from '../../core/fault.ts'
import { own } from '../../core/json.ts'

/**
 * `undone`: the statement was rolled back, because it collided with another statement; it may be sent again. `refused`: the statement was
 * rolled back, and sending it again would be of no use now. `standby`: the server takes no changes. `unknown`: no answer says what became
 * of the statement, for example because the connection broke, and it may have been committed.
 */
export type FailureVerdict = 'undone' | 'refused' | 'standby' | 'unknown'

/** Returns the code that the server gave an error (SQLSTATE, five characters); empty for an error that no server sent. */
export const sqlState = (error: unknown): string => {
  const fields = error as { [key: string]: unknown }
  const code = own(fields, 'code')
  // An error of the operating system has a code too, but no severity.
  return typeof code === 'string' && own(fields, 'severity') !== undefined ? code : ''
}

/** Returns what the error of a statement says of the statement: whether it was rolled back, and whether it may be sent again. */
export const judge = (error: unknown): FailureVerdict => {
  const state = sqlState(error)
  if (state === '40001' || state === '40P01') return 'undone'
  if (state === '25006') return 'standby'
  // 08: the connection failed. 57P: the server ends the session. 40003: the server itself does not know the outcome.
  if (state === '' || state === '40003' || state.startsWith('08') || state.startsWith('57P')) return 'unknown'
  return 'refused'
}

/**
 * Returns the StoreFault for a failed call. It has only the message of the error, because the error's details may have a sender's texts.
 */
export const storeFault = (error: unknown): StoreFault =>
  error instanceof StoreFault ? error : new StoreFault(`the database: ${messageOf(error)}`)
