/** Tells whether files are still what was read of them. */

import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

/** What was read of each file, by its path: a hash of its text; `absent` where there was none. */
export type FileDigests = ReadonlyMap<string, string>

const absent = 'absent'
/** A larger file is none that could be read for a configuration. */
const maxFileBytes = 16_777_216

export const digestOf = (text: string | undefined): string =>
  text === undefined ? absent : createHash('sha256').update(text).digest('base64')

/** The files that are something else now, or cannot be read now. Never throws. */
export const changedFiles = async (digests: FileDigests): Promise<readonly string[]> => {
  const all = await Promise.all([...digests].map(async ([file, digest]) => ((await presentDigest(file)) === digest ? [] : [file])))
  return all.flat()
}

/** `undefined` for what cannot be read. */
const presentDigest = async (file: string): Promise<string | undefined> => {
  try {
    if ((await stat(file)).size > maxFileBytes) return undefined
    return digestOf(await readFile(file, 'utf8'))
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? absent : undefined
  }
}
