/**
 * The audit: a file with lines of JSON about each thing that somebody changed, in the console or by a command: one when it began, one when it
 * had ended. It also has a line for each sign-in at the console. The program only ever appends to the file.
 */

import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { appendAuditLine } from './append-line.ts'

export interface Audit {
  /**
   * Appends who does what, does it, and appends how it ended. `describe` says more of what was done; a `result` in it takes the place of
   * `done`.
   */
  of<T>(action: AuditedAction, work: () => Promise<T>, describe?: (done: T) => JsonObject): Promise<T>
  /** Appends one line about an action that is done. Rejects with a Fault where the line cannot be written. */
  note(action: AuditedAction): Promise<void>
}

/**
 * `by`: who acts: a user of the console with how the user signed in (`oidc:ada`), a browser with a code, or the user of the system who runs a
 * command (`command:ada`). `on`: what the action is about: the ids of events, the names of targets.
 */
export type AuditedAction = { readonly by: string; readonly action: string; readonly on: JsonObject }

/**
 * Opens the audit. Where the first line of an action cannot be written, `of` fails before anything is done: what nobody could find out later
 * is not done. With `unwritten`, the action is done all the same, and `unwritten` is told why there is no line.
 */
export const openAudit = (dataDir: string, clock: Pick<Clock, 'now'>, unwritten?: (why: string) => void): Audit => {
  const append = async (line: JsonObject): Promise<void> => {
    try {
      await appendAuditLine(dataDir, { at: new Date(clock.now()).toISOString(), ...line })
    } catch (error) {
      if (!unwritten) throw error
      unwritten(messageOf(error))
    }
  }
  return {
    async of(action, work, describe) {
      await append({ ...action, result: 'begun' })
      // From here on the work counts, also where its end cannot be written: the line of its beginning is there.
      const note = (line: JsonObject): Promise<void> => append({ ...action, ...line }).catch(() => {})
      try {
        const done = await work()
        await note({ result: 'done', ...describe?.(done) })
        return done
      } catch (error) {
        await note({ result: 'failed', error: messageOf(error) })
        throw error
      }
    },
    note: (action) => append({ ...action, result: 'done' }),
  }
}
