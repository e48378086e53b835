/**
 * Replaces a file as a whole, in the gateway's process. `replaceFile` of `src/config/writing/` cannot serve here: its library listens to
 * signals, SIGXFSZ among them. Node ignores SIGXFSZ, but a process that listens to it ends when a file may not grow any more.
 */

import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file that only its owner may read. A crash leaves the old file or the new file. Rejects with the error of the disk. */
export const writeWhole = async (file: string, text: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
