/**
 * Changes the subscriptions and jobs that were made at run time. They are in a file, or, where gateways share a store, in the database with
 * the file as a copy.
 */

import { resolve } from 'node:path'
import { maxEntriesBytes } from '../../config/read-consistent.ts'
import { type EntriesUpdate, parseEntriesFile, textOfEntries, updateEntries } from '../../config/writing/entry-store.ts'
import { conflict, lockFile } from '../../config/writing/file-lock.ts'
import { refuseReadOnly, replaceFile } from '../../config/writing/replace-file.ts'
import { pause, systemClock } from '../../core/clock.ts'
import { exit, Fault, StoreFault } from '../../core/fault.ts'
import { sharedConfig, withShared } from '../attach-store.ts'
import type { Workspace } from '../workspace.ts'
import { sharedText, writeCopy } from './copied-revision.ts'
import { type EntryFile, entryFilesOf } from './entry-files.ts'
import { type EntryPort, reconcile } from './reconcile.ts'

/**
 * The most times that an update of shared entries is tried. Of all the updates that run at the same time, at least one succeeds in each
 * round, and the others are tried again.
 */
const maxRounds = 100
const longestRoundPauseMs = 50

/**
 * Applies an update to the present entries of a file, and returns the update's result. When another process changes the entries meanwhile,
 * the update is called again with the new entries. Throws a Fault where the file cannot be used or written, where the entries keep
 * changing or would be too large, and where the database cannot be opened or has not confirmed the change. Throws what `update` throws.
 */
export const changeEntries = async <T>(workspace: Workspace, file: string, update: EntriesUpdate<T>): Promise<T> => {
  const config = await sharedConfig(workspace)
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

const changeShared = async <T>(port: EntryPort, entryFile: EntryFile, update: EntriesUpdate<T>): Promise<T> => {
  const { name, file } = entryFile
  const lock = await lockFile(file)
  try {
    // The copy will replace the file. So what a user edited in the file is first shared, or kept beside the file.
    await reconcile(port, entryFile)
    for (let round = 0; round < maxRounds; round++) {
      const present = await port.readEntries(name)
      const { entries, result } = update(present ? parseEntriesFile(file, present.text) : {})
      if (!entries) return result
      refuseReadOnly(file)
      const after = sharedText(textOfEntries(entries))
      refuseTooLarge(file, after.text)
      if (lock.lost()) break
      if (await port.replaceEntries(name, present?.revision, after)) {
        // The database has the change now. Where the copy cannot be written, the next refresh writes it, or reports the reason.
        await replaceCopy(file, present?.text, after).catch(() => {})
        return result
      }
      await pause(Math.random() * longestRoundPauseMs, systemClock)
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
  if (Buffer.byteLength(text) <= maxEntriesBytes) return
  throw new Fault('too_large', `${file} would be larger than ${maxEntriesBytes} bytes: nothing was written`, { exitCode: exit.no })
}
