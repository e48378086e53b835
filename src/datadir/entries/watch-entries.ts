/**
 * Keeps the files of subscriptions and jobs equal to the shared entries while a gateway runs. The gateway reads changed files by itself.
 */

import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import type { Scope } from '../../core/scope.ts'
import { repeat } from '../../core/turns/repeat.ts'
import { EntryCopies } from './entry-copies.ts'
import { type EntryFile, entryFilesOf } from './entry-files.ts'
import type { EntryPort } from './reconcile.ts'
import { type RefreshedWords, refreshedWords } from './refreshed-words.ts'

const compareEveryMs = 1_000

export type EntryWatchOptions = {
  readonly port: EntryPort
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly scope: Scope
  /** Called after a refresh that may have written files, so that the gateway reads the new entries before a request needs them. */
  readonly written: () => Promise<void>
}

/**
 * Refreshes the files now, and a second after each refresh, until the end of the scope. Resolves after the first refresh. Never rejects:
 * where the database does not answer, the files stay in use.
 */
export const watchEntries = async ({ port, config, clock, log, scope, written }: EntryWatchOptions): Promise<void> => {
  const copies = new EntryCopies(port)
  /** The messages of the last refresh, so that a lasting problem is logged only once. */
  let lasting: ReadonlySet<string> = new Set()
  const look = async (): Promise<void> => {
    const found = await refreshed(copies, entryFilesOf(config()), written)
    for (const { level, text } of found) if (level === 'info' || !lasting.has(text)) log(level, {}, text)
    lasting = new Set(found.map(({ text }) => text))
  }
  await repeat(clock, compareEveryMs, look, { scope }).now()
}

/**
 * Refreshes the files, and returns a sentence for each file that was not equal, or one that says why the database could not be asked. Never
 * rejects.
 */
const refreshed = async (
  copies: EntryCopies,
  files: readonly EntryFile[],
  written: EntryWatchOptions['written'],
): Promise<readonly RefreshedWords[]> => {
  try {
    const found = (await copies.refresh(files)).map(refreshedWords)
    if (found.length > 0) await written()
    return found
  } catch (error) {
    return [{ level: 'warn', text: `subscriptions and jobs stay as they were last heard of: ${messageOf(error)}` }]
  }
}
