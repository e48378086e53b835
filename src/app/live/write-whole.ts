/**
 * Replaces a file whole, in the process of the gateway. `replaceFile` listens to signals while its library is loaded, and a process that
 * listens to SIGXFSZ, which Node ignores, is ended by a file that may not grow any more.
 */

import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Readable by its owner only. A crash leaves the file before or the file after. Rejects with the error of the disk. */
export const writeWhole = async (file: string, text: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const made = await open(beside, 'wx', 0o600)
    try {
      await made.writeFile(text)
      await made.sync()
    } finally {
      await made.close()
    }
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
