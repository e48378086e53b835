/** A file of values below a folder, read at load and again after it changed. Whatever lies at its path, reading never blocks. */

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { isObject, type Json } from '../core/json.ts'

const maxBytes = 8 * 1024 * 1024
// Opening a FIFO would wait for a writer, so it is opened without blocking. The path has its links resolved; a link there now is a swap.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

const isText = (item: Json): item is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof item)

/** A JSON array's items, a JSON object's keys, else one value a line (rules: Filters 7). */
const parseList = (text: string): ReadonlySet<string> => {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  if (trimmed.startsWith('[') || trimmed.startsWith('{')) {
    const value = JSON.parse(trimmed) as Json
    return new Set(isObject(value) ? Object.keys(value) : (value as Json[]).filter(isText).map(String))
  }
  return new Set(trimmed.split(/\r?\n/).flatMap((line) => line.trim() || []))
}

const checkInside = (root: string, file: string): string => {
  const way = relative(root, file)
  if (way === '' || way === '..' || way.startsWith(`..${sep}`)) throw new Error('the file lies outside the profile directory')
  return file
}

const checkStats = (stats: { isFile(): boolean; readonly size: number | bigint }): void => {
  if (!stats.isFile()) throw new Error('not a regular file')
  if (stats.size > maxBytes) throw new Error(`the file is larger than ${maxBytes} bytes`)
}

const readNow = (root: string, path: string): ReadonlySet<string> => {
  const descriptor = openSync(checkInside(realpathSync(root), realpathSync(path)), openFlags)
  try {
    checkStats(fstatSync(descriptor))
    return parseList(readFileSync(descriptor, 'utf8'))
  } finally {
    closeSync(descriptor)
  }
}

const readLater = async (root: string, path: string): Promise<ReadonlySet<string>> => {
  const handle = await open(checkInside(await realpath(root), await realpath(path)), openFlags)
  try {
    checkStats(await handle.stat())
    return parseList(await handle.readFile('utf8'))
  } finally {
    await handle.close()
  }
}

const stampOf = (path: string): string => {
  const stats: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : 'missing'
}

export interface ListFile {
  /** The values of the file as it is now. A promise only after the file changed. Throws or rejects while the file cannot be used. */
  values(): ReadonlySet<string> | Promise<ReadonlySet<string>>
}

/** Reads the file at `path` below `root`. A failure goes to `failed`; once the file is mended, `values` gives its values. */
export const openListFile = (root: string, path: string, failed: (error: unknown) => void): ListFile => {
  const file = resolve(root, path)
  let stamp = ''
  let known: ReadonlySet<string> | Promise<ReadonlySet<string>> | undefined
  let failure: unknown

  const readAgain = (): void => {
    const reading = readLater(root, file)
    known = reading
    // A second change may have begun a later reading; then this result no longer counts.
    reading.then(
      (values) => {
        if (known === reading) known = values
      },
      (error) => {
        if (known !== reading) return
        known = undefined
        failure = error
      },
    )
  }

  try {
    checkInside(resolve(root), file)
    stamp = stampOf(file)
    known = readNow(root, file)
  } catch (error) {
    failure = error
    failed(error)
  }

  return {
    values() {
      const found = stampOf(file)
      if (found !== stamp) {
        stamp = found
        readAgain()
      }
      if (known) return known
      throw failure
    },
  }
}
