/** Replaces a file as a whole. Readers, and a crash, find the old text or the new one. */

import { lstatSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { exit, Fault } from '../core/fault.ts'

/** Creates a folder that only its owner may open. An existing folder stays as it is. */
export const makeFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Writes `text` to `file`, with this mode from the first byte (by default only the owner may read it), and waits until it is on the disk. */
export const replaceFile = async (file: string, text: string, mode = 0o600): Promise<void> => {
  refuseOdd(file)
  await makeFolder(dirname(file))
  await writeFileAtomic(file, text, { mode })
  await syncFolder(dirname(file))
}

/** Throws a Fault for anything but a regular file. A link would let another user choose which file is overwritten. */
export const refuseOdd = (file: string): void => {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat || stat.isFile()) return
  const what = stat.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'
  throw new Fault('odd_file', `${file} is ${what}: it is not touched`, { exitCode: exit.conflict, hint: 'put a regular file in its place' })
}

/** Syncs a folder, so that a rename in it survives a power cut. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
