/**
 * The audit: a file with lines of JSON about each thing that somebody changed in the console: one when it began, one when it had ended. The
 * program only ever appends to the file.
 */

import { appendFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'

export interface Audit {
  /**
   * Appends who does what, does it, and appends how it ended. Where the first line cannot be written, the call fails before anything is
   * done: what nobody could find out later is not done. Where the second cannot be written, the first is there. `describe` says more of
   * what was done.
   */
  of<T>(action: AuditedAction, work: () => Promise<T>, describe?: (done: T) => JsonObject): Promise<T>
}

/** `by`: who acts, for example a browser. `on`: what the action is about: the ids of events, the names of targets. */
export type AuditedAction = { readonly by: string; readonly action: string; readonly on: JsonObject }

/** Returns the path of the audit of a data directory. */
const auditFile = (dataDir: string): string => join(dataDir, 'state', 'audit.jsonl')

export const openAudit = (dataDir: string, clock: Pick<Clock, 'now'>): Audit => {
  const file = auditFile(dataDir)
  const append = async (line: JsonObject): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await appendFile(file, `${JSON.stringify({ at: new Date(clock.now()).toISOString(), ...line })}\n`, { mode: 0o600 })
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
  }
}
