/** Replaces a file's text, if the file still has the text that the caller read. The editor saves routes and tests in this way. */

import { readFileSync, statSync } from 'node:fs'
import { diskFault } from '../../core/disk-fault.ts'
import { codeOf, exit, Fault } from '../../core/fault.ts'
import { conflict, lockFile } from './file-lock.ts'
import { refuseReadOnly, replaceFile } from './replace-file.ts'

/**
 * Reads the text of a file; empty without a file. Throws a Fault for a file that cannot be read, and for a file that is not UTF-8, because
 * bytes that are no text would be lost when the text is written back.
 */
export const textOfFile = (file: string): string => {
  try {
    const bytes = readFileSync(file)
    const text = bytes.toString('utf8')
    if (Buffer.from(text).equals(bytes)) return text
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw diskFault('read', file, error)
  }
  throw new Fault('not_utf8', `${file} is not UTF-8: it is not touched`, { exitCode: exit.conflict, hint: 'save it as UTF-8 first' })
}

/**
 * Writes `after` with the mode that the file has (only its owner may read a new file), under the lock of other commands. Throws a Fault
 * where the file cannot be written, and (`conflict`) where its text is not `before`. With `backup` the old text is kept as `.bak`, which
 * only its owner may read.
 */
export const replaceText = async (file: string, before: string, after: string, backup = false): Promise<void> => {
  const lock = await lockFile(file)
  try {
    if (textOfFile(file) !== before || lock.lost()) throw conflict(`${file} has changed meanwhile: nothing was written`, 'try again')
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    refuseReadOnly(file)
    if (backup) await replaceFile(`${file}.bak`, before)
    await replaceFile(file, after, mode === undefined ? undefined : mode & 0o777)
  } catch (error) {
    throw diskFault('write', file, error)
  } finally {
    await lock.release()
  }
}
