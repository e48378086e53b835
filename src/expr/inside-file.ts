/** Reads a file that must lie below a folder, with links resolved. Reading never waits for a writer, whatever lies at the path. */

import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** The bounds of a read: the folder `root`, its name in messages (`called`), and the most bytes of the file. */
export type ReadBounds = { readonly root: string; readonly called: string; readonly maxBytes: number }

// Opening a FIFO would wait for a writer, so the file is opened without blocking. The links of the path are resolved before the opening. A
// link that is there at the opening was put there meanwhile, and is refused.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Whether the path `file` lies below the folder `root`. */
export const isInside = (root: string, file: string): boolean => {
  const way = relative(root, file)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Returns the path `file`. Throws an Error with a sentence when the path does not lie below `root`, which the sentence calls `called`. */
export const checkInside = (root: string, file: string, called: string): string => {
  if (!isInside(root, file)) throw new Error(`the file lies outside ${called}`)
  return file
}

const checkStats = (stats: { isFile(): boolean; readonly size: number }, maxBytes: number): void => {
  if (!stats.isFile()) throw new Error('not a regular file')
  if (stats.size > maxBytes) throw new Error(`the file is larger than ${maxBytes} bytes`)
}

/**
 * Throws where a path leads out of the folder by itself, before any file is opened: whether a file exists that may not be read must not be
 * revealed either.
 */
const refuseOutside = (path: string, root: string, realRoot: string, called: string): void => {
  const way = resolve(path)
  if (!isInside(resolve(root), way)) checkInside(realRoot, way, called)
}

/** Reads a file as UTF-8. Throws when the file cannot be read, or is outside of the bounds. */
export const readInside = (path: string, { root, called, maxBytes }: ReadBounds): string => {
  const realRoot = realpathSync(root)
  refuseOutside(path, root, realRoot, called)
  const descriptor = openSync(checkInside(realRoot, realpathSync(path), called), openFlags)
  try {
    checkStats(fstatSync(descriptor), maxBytes)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** As `readInside`, without blocking the event loop. Rejects where `readInside` throws. */
export const readInsideLater = async (path: string, { root, called, maxBytes }: ReadBounds): Promise<string> => {
  const realRoot = await realpath(root)
  refuseOutside(path, root, realRoot, called)
  const handle = await open(checkInside(realRoot, await realpath(path), called), openFlags)
  try {
    checkStats(await handle.stat(), maxBytes)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
