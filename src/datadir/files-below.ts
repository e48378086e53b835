/** Lists the files in a folder and in the folders below it, such as samples, files of tests, and scripts. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export type FileSearch = {
  /** How many levels of folders are searched below the folder itself. */
  readonly depth: number
  /** Whether a file with this name is returned. The name has no path. */
  readonly isWanted: (name: string) => boolean
  /** Names of folders that are not searched. */
  readonly without?: ReadonlySet<string>
}

/**
 * Returns the paths of the wanted files; each folder is sorted by name. A link counts as a file, and is not followed. Throws the error of a
 * folder that cannot be read.
 */
export const filesBelow = (folder: string, { depth, ...search }: FileSearch): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth > 0 && !search.without?.has(entry.name) ? filesBelow(path, { depth: depth - 1, ...search }) : []
      return (entry.isFile() || entry.isSymbolicLink()) && search.isWanted(entry.name) ? [path] : []
    })
