/** Writes the planned files: all of them, or none, as far as written files can be put back. */

import { existsSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { refuseReadOnly, replaceFile } from '../config/writing/replace-file.ts'
import { diskFault } from '../core/disk-fault.ts'
import { exit, Fault } from '../core/fault.ts'
import type { FileChange, SetupPlan } from './plan.ts'
import type { Present } from './present.ts'

/**
 * Writes the files. Throws a Fault when a file cannot be written, or was changed after it was read. Then every file has its old text,
 * unless putting it back fails, too.
 */
export const writeSetup = async ({ changes }: Pick<SetupPlan, 'changes'>): Promise<void> => {
  for (const change of changes) refuseChanged(change)
  const folder = changes[0] && dirname(changes[0].file)
  const isNew = folder !== undefined && !existsSync(folder)
  const done: FileChange[] = []
  let file = ''
  try {
    for (const change of changes) {
      done.push(change)
      file = change.file
      await replaceFile(change.file, change.after, modeOf(change))
    }
  } catch (error) {
    for (const change of done.reverse()) await undo(change)
    if (isNew) removeEmpty(folder)
    throw diskFault('write', file, error)
  }
}

/** Throws a Fault when `config.yaml` or `.env` may not be written. The wizard calls it before the first question. */
export const refuseReadOnlyFiles = ({ files: { config, env } }: Present): void => {
  for (const file of [config, env]) refuseReadOnly(file)
}

const refuseChanged = ({ file, before }: FileChange): void => {
  refuseReadOnly(file)
  const now = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (now === before) return
  throw new Fault('conflict', `${file} has changed meanwhile: nothing was written`, { exitCode: exit.conflict, hint: 'try again' })
}

/**
 * Returns the mode that the file keeps. For a new file and for `.env` returns `undefined`: `replaceFile` then makes a file that only its
 * owner may read.
 */
const modeOf = ({ name, file }: Pick<FileChange, 'name' | 'file'>): number | undefined => {
  const mode = name === 'env' ? undefined : statSync(file, { throwIfNoEntry: false })?.mode
  return mode === undefined ? undefined : mode & 0o777
}

/** Puts a file back as it was. A failure to do so stays silent, because the error of the writing is reported. */
const undo = async ({ name, file, before }: FileChange): Promise<void> => {
  try {
    if (before === undefined) rmSync(file, { force: true })
    else await replaceFile(file, before, modeOf({ name, file }))
  } catch {}
}

const removeEmpty = (folder: string): void => {
  try {
    rmdirSync(folder)
  } catch {}
}
