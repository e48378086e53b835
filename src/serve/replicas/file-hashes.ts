/** Hashes the files that stand beside a configuration and on which runs depend: scripts, skills, lists and plugins. */

import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { maxFileBytes } from '../../config/file-digests.ts'
import { stampOfStats } from '../../core/file-stamp.ts'
import { filesBesideRoute } from '../../datadir/beside-route.ts'
import { filesBelow } from '../../datadir/files-below.ts'

/** The most files that are hashed, in the order of their paths. All replicas order the paths alike, so they leave out the same files. */
const maxFiles = 1_000
const search = { depth: 4, isWanted: () => true, without: new Set(['node_modules', '.git', '.venv', '__pycache__']) }

/** The path of a file, relative to the data directory, and the hash of its content. */
export type FileHash = readonly [path: string, hash: string]

/** The hash of a file, and the stamp that the file had then. While the stamp stays, the hash is not made again. */
type StampedHash = { readonly stamp: string; readonly hash: string }

/** Makes a function that hashes the files of a configuration. The function reads a file again only after the file changed. */
export const createFileHashes = (): ((config: Config) => Promise<readonly FileHash[]>) => {
  let known: ReadonlyMap<string, StampedHash> = new Map()
  return async (config) => {
    const next = new Map<string, StampedHash>()
    for (const file of filesOfConfig(config)) next.set(file, await hashOf(file, known.get(file)))
    known = next
    return [...next].map(([file, { hash }]) => [relative(config.dataDir, file), hash])
  }
}

const filesOfConfig = (config: Config): readonly string[] => {
  const folders = [...config.profiles.values()].flatMap(({ dir }) => [join(dir, 'scripts'), join(dir, 'skills')])
  const beside = [...config.routes.values()].flatMap((route) => filesBesideRoute(route, config))
  // A plugin from a package has no file here. Its version counts only where the operator wrote the version into the plugin's name.
  const plugins = config.plugins.filter(({ name }) => /^[./]/.test(name)).map(({ name }) => resolve(config.dataDir, name))
  return [...new Set([...folders, ...beside].flatMap(filesAt).concat(plugins))].sort().slice(0, maxFiles)
}

/** Returns the paths of the files in a folder and below. For a path that is no folder, returns the path itself. */
const filesAt = (path: string): readonly string[] => {
  try {
    return filesBelow(path, search)
  } catch {
    return [path]
  }
}

/** Returns the hash of a file. A file that cannot be read has the hash `none`; of a large file only the size counts. */
const hashOf = async (file: string, known: StampedHash | undefined): Promise<StampedHash> => {
  try {
    const stats = await stat(file, { bigint: true })
    const stamp = stampOfStats(stats)
    if (known?.stamp === stamp) return known
    const content = stats.size > maxFileBytes ? String(stats.size) : await readFile(file)
    return { stamp, hash: createHash('sha256').update(content).digest('base64') }
  } catch {
    return { stamp: '', hash: 'none' }
  }
}
