/** Finds the files of a configuration that have changed since they were read, for the status of a gateway. */

import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { codeOf } from '../core/fault.ts'
import { filesMatching, isPattern } from './include/find-files.ts'

/**
 * The hash of the text of each file as it was read, by the file's path; `absent` where there was no file. By the path of a pattern, the
 * hash of the names that it found.
 */
export type FileDigests = ReadonlyMap<string, string>

const noFile = 'absent'
/** The most bytes of a YAML file that is read for a configuration. */
export const maxFileBytes = 16_777_216

/** Returns the hash of a file's text. `undefined` stands for a file that does not exist. */
export const textDigest = (text: string | undefined): string =>
  text === undefined ? noFile : createHash('sha256').update(text).digest('base64')

/** Returns the hash of what a pattern finds: the names of the files, in their order. */
export const namesDigest = (files: readonly string[]): string => textDigest(files.map((file) => basename(file)).join('\n'))

/** Returns the files whose text has changed, or that cannot be read now. Never throws. */
export const filesChangedSince = async (digests: FileDigests): Promise<readonly string[]> => {
  const all = await Promise.all([...digests].map(async ([file, digest]) => ((await presentDigest(file)) === digest ? [] : [file])))
  return all.flat()
}

/** Returns the digest of a file as it is now: `absent` for no file, `undefined` for a file that is too large or cannot be read. */
const presentDigest = async (file: string): Promise<string | undefined> => {
  try {
    if (isPattern(file)) return namesDigest(filesMatching(file))
    const found = await stat(file)
    if (!found.isFile() || found.size > maxFileBytes) return undefined
    return textDigest(await readFile(file, 'utf8'))
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? noFile : undefined
  }
}
