/** Changes subscriptions and jobs that were made at run time, where they lie: in their file, or in the database that gateways share. */

import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { maxFileBytes } from '../../config/read-consistent.ts'
import { entriesIn, textOfEntries, type Update, updateEntries } from '../../config/writing/entry-store.ts'
import { conflict, lockFile } from '../../config/writing/file-lock.ts'
import { refuseReadOnly, replaceFile } from '../../config/writing/replace-file.ts'
import { exit, Fault, StoreFault } from '../../core/fault.ts'
import { sharedConfig, withShared } from '../shared-store/attach-store.ts'
import type { Workspace } from '../workspace.ts'
import { sharedText, writeCopy } from './copied-revision.ts'
import { type EntryFile, entryFilesOf } from './entry-files.ts'
import { type EntryPort, reconcile } from './reconcile.ts'

/** In each round at least one of those who change the entries at the same time is done. */
const maxRounds = 100
const longestPauseMs = 50

/**
 * Applies an update to the present entries, and returns its result. Somebody else may change the entries meanwhile. Then the update is
 * called again with the new entries. Throws a Fault.
 */
export const changeEntries = async <T>(workspace: Workspace, file: string, update: Update<T>): Promise<T> => {
  const config = sharedConfig(workspace)
  const entryFile = config && entryFilesOf(config).find((each) => each.file === resolve(file))
  if (!entryFile) return updateEntries(file, update)
  try {
    return await withShared(config, 'make', (shared) => changeShared(shared, entryFile, update))
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    throw new Fault('store_away', `the database has not confirmed the change: ${error.message}`, {
      exitCode: exit.unreachable,
      hint: 'look whether it was made once the database answers again, then try again',
      cause: error,
    })
  }
}

const changeShared = async <T>(port: EntryPort, entryFile: EntryFile, update: Update<T>): Promise<T> => {
  const { name, file } = entryFile
  const lock = await lockFile(file)
  try {
    // What was written into the file by hand must not be lost under the copy.
    await reconcile(port, entryFile)
    for (let round = 0; round < maxRounds; round++) {
      const present = await port.readEntries(name)
      const { entries, result } = update(present ? entriesIn(file, present.text) : {})
      if (!entries) return result
      refuseReadOnly(file)
      const after = sharedText(textOfEntries(entries))
      refuseTooLarge(file, after.text)
      if (lock.lost()) break
      if (await port.replaceEntries(name, present?.revision, after)) {
        // The change is made. Where the file cannot be written, the next refresh writes it, or says why it cannot.
        await replaceCopy(file, present?.text, after).catch(() => {})
        return result
      }
      await wait(Math.random() * longestPauseMs)
    }
    throw conflict(`${name} keep changing while they are updated: nothing was written`, 'try again')
  } finally {
    await lock.release()
  }
}

const replaceCopy = async (file: string, before: string | undefined, after: ReturnType<typeof sharedText>): Promise<void> => {
  if (before !== undefined) await replaceFile(`${file}.bak`, before)
  await writeCopy(file, after)
}

const refuseTooLarge = (file: string, text: string): void => {
  if (Buffer.byteLength(text) <= maxFileBytes) return
  throw new Fault('too_large', `${file} would be larger than ${maxFileBytes} bytes: nothing was written`, { exitCode: exit.no })
}
