/** Checks the data directory, and the files in it that hold secrets or that commands change. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { jobsFileName } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { readEntries } from '../../config/writing/entry-store.ts'
import { quoted } from '../../core/text.ts'
import { type Check, type CheckInput, fail, ok, runCheck, warn } from '../../datadir/check.ts'
import { octalMode, whyClosed } from '../../operate/gateway/data-folder.ts'

/** The bits of a file's mode that give rights to other users than its owner. */
const othersBits = 0o077
/** The code with which `validate --env` reports a data directory that cannot be made or written. */
const about = { code: 'WH802' } as const

/** Checks whether the data directory is there or can be made, can be written, and is closed to other users. */
export const checkFolder = ({ workspace: { dataDir, self } }: CheckInput): readonly Check[] => {
  const name = 'data directory'
  const stat = statSync(dataDir, { throwIfNoEntry: false })
  const closed = whyClosed(dataDir)
  if (!stat) {
    if (closed) return [fail(name, `${dataDir} cannot be made: ${closed.why}`, closed.fix, about)]
    return [warn(name, `${dataDir} is not there yet`, `${self} gateway setup --yes`)]
  }
  if (!stat.isDirectory()) return [fail(name, `${dataDir} is not a folder`, 'move it away, or use another one: --data-dir <folder>', about)]
  if (closed) return [fail(name, `${dataDir} cannot be written: ${closed.why}`, closed.fix, about)]
  if (stat.mode & othersBits) return [warn(name, `${dataDir} is open to others (${octalMode(stat)})`, `chmod 700 ${quoted(dataDir)}`)]
  return [ok(name, `${dataDir} (${octalMode(stat)})`)]
}

/**
 * Checks whether the files with secrets of each profile, and included files, are open to other users, and whether the files of
 * subscriptions and of the default profile's jobs can be read.
 */
export const checkFiles = async ({ loaded, workspace: { dataDir } }: CheckInput): Promise<readonly Check[]> => {
  const secretFiles = ['.env', 'config.yaml', subscriptionsFileName, jobsFileName]
  const files = [...loaded.config.profiles.values()].flatMap(({ dir }) => secretFiles.map((name) => join(dir, name)))
  const modes = [...new Set([...files, ...loaded.sources.map(({ file }) => file)])].flatMap(openToOthers)
  const entries = (name: string, file: string) =>
    runCheck(name, () => {
      const count = Object.keys(readEntries(join(dataDir, file))).length
      return [ok(name, count === 0 ? 'none' : `${count}, readable`)]
    })
  return [...modes, ...(await entries('subscriptions', subscriptionsFileName)), ...(await entries('stored jobs', jobsFileName))]
}

const openToOthers = (file: string): Check[] => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || (stat.mode & othersBits) === 0) return []
  return [warn('modes', `${file} is open to others (${octalMode(stat)})`, `chmod 600 ${quoted(file)}`)]
}
