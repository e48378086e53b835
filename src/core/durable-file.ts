/** Replaces and moves files so that a crash or a power cut leaves the old file or the new one, each of them whole. */

import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a folder that only its owner may open. An existing folder stays as it is. */
export const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first !== undefined) await syncFolder(dirname(first))
}

/**
 * Replaces `file` by a file with this text and mode, which belongs to the owner of the file before it, where the process may give files
 * away. Makes its folder. Resolves once the file is on the disk; rejects with the error of the system, and leaves the old file then.
 */
export const writeWhole = async (file: string, text: string, mode = 0o600): Promise<void> => {
  await makeFolder(dirname(file))
  const before = await lstat(file).catch(() => undefined)
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(text)
      if (before) await keepOwner(handle, before)
      // The mode of the opening was cut by the umask.
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await moveFile(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Gives a file the owner of the file that it replaces: what root writes must stay open to the user of the gateway. */
const keepOwner = async (handle: FileHandle, { uid, gid }: Stats): Promise<void> => {
  const own = await handle.stat()
  if (own.uid === uid && own.gid === gid) return
  try {
    await handle.chown(uid, gid)
  } catch (error) {
    // Only root may give a file to anybody.
    if (process.getuid?.() === 0) throw error
  }
}

/** Gives a synced file another name, where it replaces what is there, and resolves once the name is on the disk. */
export const moveFile = async (from: string, to: string): Promise<void> => {
  await rename(from, to)
  await syncFolder(dirname(to))
}

/** Syncs a folder, so that what is new in it survives a power cut. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
