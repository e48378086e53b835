/** Reads a file that must lie, links resolved, below a folder. Whatever lies at its path, reading never blocks. */

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'

/** `called`: what a message calls the folder. */
export type Fence = { readonly root: string; readonly called: string; readonly maxBytes: number }

// Opening a FIFO would wait for a writer, so it is opened without blocking. The path has its links resolved; a link there now is a swap.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** The file; throws when it does not lie below the root. */
export const checkInside = (root: string, file: string, called: string): string => {
  const way = relative(root, file)
  if (way === '' || way === '..' || way.startsWith(`..${sep}`)) throw new Error(`the file lies outside ${called}`)
  return file
}

const checkStats = (stats: { isFile(): boolean; readonly size: number }, maxBytes: number): void => {
  if (!stats.isFile()) throw new Error('not a regular file')
  if (stats.size > maxBytes) throw new Error(`the file is larger than ${maxBytes} bytes`)
}

/** Throws when it cannot be read. */
export const readInside = (path: string, { root, called, maxBytes }: Fence): string => {
  const descriptor = openSync(checkInside(realpathSync(root), realpathSync(path), called), openFlags)
  try {
    checkStats(fstatSync(descriptor), maxBytes)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

export const readInsideLater = async (path: string, { root, called, maxBytes }: Fence): Promise<string> => {
  const handle = await open(checkInside(await realpath(root), await realpath(path), called), openFlags)
  try {
    checkStats(await handle.stat(), maxBytes)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
