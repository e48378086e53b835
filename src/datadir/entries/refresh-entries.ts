/**
 * Makes the files of subscriptions and jobs and the shared entries equal again, for a command that reads the files. What a user edited in a
 * file becomes shared, unless the shared entries have changed as well.
 */

import { Fault, StoreFault } from '../../core/fault.ts'
import { sharedConfig, withShared } from '../attach-store.ts'
import type { Workspace } from '../workspace.ts'
import { EntryCopies } from './entry-copies.ts'
import { entryFilesOf } from './entry-files.ts'
import { refreshedWords } from './refreshed-words.ts'

/**
 * Returns sentences for the user about files that were edited by hand, or that could not be made equal. Does nothing without a shared
 * store. Where the database does not answer or cannot be used, the files stay as they are, and a sentence says so.
 */
export const refreshEntries = async (workspace: Workspace): Promise<readonly string[]> => {
  const config = await sharedConfig(workspace)
  if (!config) return []
  try {
    const refreshed = await withShared(config, 'make', (shared) => new EntryCopies(shared).refresh(entryFilesOf(config)))
    // The command shows the entries of the copied file, so a file that only got the shared entries needs no sentence.
    return refreshed.filter(({ result }) => result instanceof Fault || result.kind !== 'copied').map((each) => refreshedWords(each).text)
  } catch (error) {
    if (error instanceof StoreFault || error instanceof Fault)
      return [`subscriptions and jobs are shown as they were last heard of: ${error.message}`]
    throw error
  }
}
