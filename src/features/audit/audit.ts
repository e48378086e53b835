/**
 * The audit: a file with lines of JSON about each change that somebody made, in the console or by a command: a line for the beginning of
 * the change, and a line for its end. The audit also has a line for each sign-in at the console. The program changes no line of the file,
 * but puts a full file aside (`append-line.ts`).
 */

import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { appendAuditLine } from './append-line.ts'

export interface Audit {
  /**
   * Appends a line about the action, does `work`, and appends a line about its end. `describe` returns further members for the second line;
   * a `result` among them takes the place of `done`. Without it, what was done with `ok: false` has failed, with its `message`.
   */
  of<T>(action: AuditedAction, work: () => Promise<T>, describe?: (done: T) => JsonObject): Promise<T>
  /** Appends one line about an action that is done. Rejects with a Fault where the line cannot be written. */
  note(action: AuditedAction): Promise<void>
}

/**
 * `by`: who acts: a user of the console with how the user signed in (`oidc:ada`), a browser with a code, or the user of the system who runs
 * a command (`command:ada`). `on`: the subject of the action: the ids of events, the names of targets.
 */
type AuditedAction = { readonly by: string; readonly action: string; readonly on: JsonObject }

/**
 * Opens the audit. Where the first line of an action cannot be written, `of` rejects and does nothing, because nobody could find the action
 * out later. With `unwritten`, the action is done all the same, and `unwritten` is called with the reason why there is no line.
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
    async of(action, work, describe = failureIn) {
      await append({ ...action, result: 'begun' })
      // Where the line of the end cannot be written, the action counts all the same: the line of its beginning is in the file.
      const note = (line: JsonObject): Promise<void> => append({ ...action, ...line }).catch(() => {})
      try {
        const done = await work()
        await note({ result: 'done', ...describe(done) })
        return done
      } catch (error) {
        await note({ result: 'failed', error: messageOf(error) })
        throw error
      }
    },
    note: (action) => append({ ...action, result: 'done' }),
  }
}

/** A change that was refused may be an answer, and no error. */
const failureIn = (done: unknown): JsonObject => {
  const { ok, message } = (done ?? {}) as { readonly ok?: unknown; readonly message?: unknown }
  return ok === false ? { result: 'failed', ...(typeof message === 'string' ? { error: message } : {}) } : {}
}
