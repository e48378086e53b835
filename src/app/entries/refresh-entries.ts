/** Brings the files of subscriptions and jobs up to the database, for a command that reads them. */

import { Fault, StoreFault } from '../../core/fault.ts'
import { sharedConfig, withShared } from '../shared-store/attach-store.ts'
import type { Workspace } from '../workspace.ts'
import { EntryCopies } from './entry-copies.ts'
import { entryFilesOf } from './entry-files.ts'
import { refreshedWords } from './refreshed-words.ts'

/** Returns what the user should know. Where no store is shared, nothing happens. Where the database is away, the files stay as they are. */
export const refreshEntries = async (workspace: Workspace): Promise<readonly string[]> => {
  const config = sharedConfig(workspace)
  if (!config) return []
  try {
    const refreshed = await withShared(config, 'make', (shared) => new EntryCopies(shared).refresh(entryFilesOf(config)))
    // What others changed is what the command is about to show.
    return refreshed.filter(({ result }) => result instanceof Fault || result.kind !== 'copied').map((each) => refreshedWords(each).text)
  } catch (error) {
    if (error instanceof StoreFault || error instanceof Fault)
      return [`subscriptions and jobs are shown as they were last heard of: ${error.message}`]
    throw error
  }
}
