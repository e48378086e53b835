/** At the start of a gateway, removes the rights of other users to files with secrets (rules: Hostile input 5), except `config.yaml`. */

import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { jobsFileName } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { commentKeyFile } from '../../serve/comment-key.ts'

/** The files with secrets in the folder of a profile. */
const profileFiles = ['.env', jobsFileName]

/**
 * Removes the rights of other users to the files with secrets in `dataDir` and in the folder of each profile, whether or not the profile is
 * served. Logs each file that was open to other users, and each file whose rights cannot be changed.
 */
export const closeSecretFiles = (dataDir: string, log: Log): void => {
  for (const name of [...profileFiles, subscriptionsFileName, commentKeyFile]) closeToOthers(join(dataDir, name), log)
  const profiles = join(dataDir, 'profiles')
  for (const profile of foldersIn(profiles)) for (const name of profileFiles) closeToOthers(join(profiles, profile, name), log)
}

/** Returns the names of the folders in a folder; none where it is not there or cannot be read. */
const foldersIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory())
  } catch {
    return []
  }
}

const closeToOthers = (file: string, log: Log): void => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat || (stat.mode & 0o077) === 0) return
    chmodSync(file, 0o600)
    log('warn', { file }, 'a file with secrets was open to others: its mode is 0600 now')
  } catch (error) {
    log('warn', { file, reason: messageOf(error) }, 'a file with secrets is open to others')
  }
}
