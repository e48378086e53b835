/** Reads a file that must lie below a folder, with links resolved. Reading never blocks, whatever lies at the path. */

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'

/** The bounds of a read: the folder, its name in messages (`called`), and the size of the file. */
export type Fence = { readonly root: string; readonly called: string; readonly maxBytes: number }

// Opening a FIFO would wait for a writer, so the file is opened without blocking. The links of the path are resolved before, so a link that
// is there at the opening was put there meanwhile.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Returns the path `file`. Throws when it does not lie below `root`. */
export const checkInside = (root: string, file: string, called: string): string => {
  const way = relative(root, file)
  if (way === '' || way === '..' || way.startsWith(`..${sep}`)) throw new Error(`the file lies outside ${called}`)
  return file
}

const checkStats = (stats: { isFile(): boolean; readonly size: number }, maxBytes: number): void => {
  if (!stats.isFile()) throw new Error('not a regular file')
  if (stats.size > maxBytes) throw new Error(`the file is larger than ${maxBytes} bytes`)
}

/** Reads the file. Throws when it cannot be read, or lies outside of the fence. */
export const readInside = (path: string, { root, called, maxBytes }: Fence): string => {
  const descriptor = openSync(checkInside(realpathSync(root), realpathSync(path), called), openFlags)
  try {
    checkStats(fstatSync(descriptor), maxBytes)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Reads the file without blocking the event loop. Rejects where `readInside` throws. */
export const readInsideLater = async (path: string, { root, called, maxBytes }: Fence): Promise<string> => {
  const handle = await open(checkInside(await realpath(root), await realpath(path), called), openFlags)
  try {
    checkStats(await handle.stat(), maxBytes)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
