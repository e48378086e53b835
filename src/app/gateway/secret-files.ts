/** At the start of a gateway, removes the rights of other users to files with secrets (rules: Hostile input 5), except `config.yaml`. */

import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { jobsFileName } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { commentKeyFile } from '../live/comment-key.ts'

const secretFiles = ['.env', subscriptionsFileName, jobsFileName, commentKeyFile]

/**
 * Removes the rights of other users to the files with secrets in `dataDir`, and logs each file that was open to other users. A file whose
 * rights cannot be changed is logged, too.
 */
export const closeSecretFiles = (dataDir: string, log: Log): void => {
  for (const name of secretFiles) closeToOthers(join(dataDir, name), log)
}

const closeToOthers = (file: string, log: Log): void => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || (stat.mode & 0o077) === 0) return
  try {
    chmodSync(file, 0o600)
    log('warn', { file }, 'a file with secrets was open to others: its mode is 0600 now')
  } catch (error) {
    log('warn', { file, reason: messageOf(error) }, 'a file with secrets is open to others')
  }
}
