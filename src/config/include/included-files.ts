/** Finds the files that a `config.yaml` includes, without checking any: for editors and completion, which report no mistakes. */

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isObject } from '../../core/json.ts'
import { readSource } from '../yaml/source.ts'
import { filesMatching, isPattern, maxFiles } from './find-files.ts'

/** `written`: the paths under `include`. `files`: the paths of the regular files that they find. */
export type IncludedFiles = { readonly written: readonly string[]; readonly files: readonly string[] }

/** Returns the included files; none where the file cannot be read. */
export const includedFiles = (config: string): IncludedFiles => {
  try {
    const data = readSource(config).source?.data
    const include = isObject(data) && Array.isArray(data.include) ? data.include : []
    const written = include.filter((each) => typeof each === 'string')
    const paths = written.map((each) => resolve(dirname(config), each))
    const found = new Set(paths.flatMap((path) => (isPattern(path) ? filesMatching(path) : [path])))
    return { written, files: [...found].slice(0, maxFiles).filter(isRegular) }
  } catch {
    // A folder could not be read, for example because this user may not.
    return { written: [], files: [] }
  }
}

const isRegular = (file: string): boolean => {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}
