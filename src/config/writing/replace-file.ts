/** Replaces a file as a whole. A reader sees the old text or the new text, also after a crash, and never a mixture. */

import { accessSync, constants, lstatSync } from 'node:fs'
import { writeWhole } from '../../core/durable-file.ts'
import { codeOf, exit, Fault } from '../../core/fault.ts'
import { quoted } from '../../core/text.ts'

/**
 * Replaces `file` by a file with this text, which has this mode from its first byte; by default only its owner may read it. Resolves once
 * the file is on the disk. Throws a Fault as `refuseReadOnly` does, and the error of the system where the file cannot be written.
 */
export const replaceFile = async (file: string, text: string, mode = 0o600): Promise<void> => {
  refuseReadOnly(file)
  await writeWhole(file, text, mode)
}

/**
 * Throws a Fault where anything but a regular file stands at the path. A link would let another user choose which file is overwritten. A
 * missing file is fine.
 */
export const refuseOdd = (file: string): void => {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat || stat.isFile()) return
  const what = stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'
  throw new Fault('odd_file', `${file} is ${what}: it is not touched`, { exitCode: exit.conflict, hint: 'put a regular file in its place' })
}

/**
 * Throws a Fault for a file that may not be written, and for anything but a regular file. A file is replaced by a rename, which needs
 * permission for the folder alone. So without this check a file that somebody has made read-only on purpose would be replaced.
 */
export const refuseReadOnly = (file: string): void => {
  refuseOdd(file)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat || mayWrite(file, stat.mode)) return
  throw new Fault(
    'read_only',
    `${file} may not be written (mode ${(stat.mode & 0o777).toString(8).padStart(4, '0')}): it is kept as it is`,
    {
      exitCode: exit.conflict,
      hint: `change it where it is made; or, if it may be changed here: chmod u+w ${quoted(file)}`,
    },
  )
}

/** Whether this process may write a file, and the mode allows it: the superuser may write a file of any mode. */
const mayWrite = (file: string, mode: number): boolean => {
  try {
    accessSync(file, constants.W_OK)
    return (mode & 0o222) !== 0
  } catch (error) {
    // An error other than EACCES comes again when the file is written, and is reported then.
    return codeOf(error) !== 'EACCES'
  }
}
