/** Watches the files of a configuration, for `gateway run --watch`. */

import { realpathSync } from 'node:fs'
import { basename, dirname, relative, sep } from 'node:path'
import { type FileDigests, filesChangedSince } from '../../config/file-digests.ts'
import { finds, isPattern } from '../../config/include/find-files.ts'
import { messageOf } from '../../core/fault.ts'
import type { ConfigWatch } from '../../gateway/run-gateway.ts'
import { createFileWatch, type FileWatch, type Watched } from '../shell/watch-files.ts'

const watchedNames = new Set(['config.yaml', '.env'])

export type ConfigWatchOptions = {
  readonly dataDir: string
  readonly configFile?: string | undefined
  readonly changed: () => void
  readonly failed: (why: string) => void
}

/**
 * Calls `changed` when a `config.yaml` or `.env` has changed, in the data directory or in the folder of a profile below it, or when
 * `configFile` or a file that the configuration includes has changed, or such a file has come or gone.
 */
export const watchConfiguration = async ({ dataDir, configFile, changed, failed }: ConfigWatchOptions): Promise<ConfigWatch> => {
  const isFolder = (path: string): boolean => {
    const parts = relative(dataDir, path).split(sep)
    return path === dataDir || (parts[0] === 'profiles' && parts.length <= 2)
  }
  const isWatched = (path: string): boolean => path === configFile || (watchedNames.has(basename(path)) && isFolder(dirname(path)))
  const files = createFileWatch({ changed, failed })
  const ignored = (path: string): boolean => !isFolder(path) && !isWatched(path) && !(isOfVolume(path) && isFolder(dirname(path)))
  await files.add({ paths: [dataDir, ...(configFile === undefined ? [] : [configFile])], ignored })
  const included = createIncludedWatch(changed, failed)
  return {
    follow: (digests) => void included.follow(digests, (path) => !isWatched(path)).catch((error) => failed(messageOf(error))),
    close: async () => void (await Promise.all([files.close(), included.close()])),
  }
}

/** Whether a path may be one that a volume of Kubernetes swaps: `..data` is a link to the folder that has the files. */
const isOfVolume = (path: string): boolean => basename(path).startsWith('..')

/** Watches the folders of included files: those that the last reading of the configuration named. */
const createIncludedWatch = (changed: () => void, failed: (why: string) => void) => {
  let watch: FileWatch | undefined
  let last = '[[],[],[]]'
  let turn: Promise<void> = Promise.resolve()
  let isClosed = false
  const follow = async (digests: FileDigests, isIncluded: (path: string) => boolean): Promise<void> => {
    const patterns = [...digests.keys()].filter(isPattern)
    const isFound = (path: string): boolean => patterns.some((pattern) => finds(pattern, path))
    const files = [...digests.keys()].filter((path) => isIncluded(path) && !isPattern(path) && !isFound(path))
    const folders = [...new Set([...patterns, ...files].map((path) => dirname(path)))]
    const now = JSON.stringify([patterns, files, folders.map(realPath)])
    if (now === last || isClosed) return
    last = now
    const before = watch
    watch = createFileWatch({ changed, failed })
    for (const each of folders.flatMap((folder) => watchedOf(folder, (path) => files.includes(path) || isFound(path))))
      await watch.add(each)
    await before?.close()
    // What changed between the reading and the watching was not noticed.
    if ((await filesChangedSince(digests)).length > 0) changed()
  }
  return {
    /** Calls follow each other, because the folders of a later reading must win. */
    follow: (digests: FileDigests, isIncluded: (path: string) => boolean): Promise<void> => {
      turn = turn.catch(() => {}).then(() => follow(digests, isIncluded))
      return turn
    },
    close: async (): Promise<void> => {
      isClosed = true
      await turn.catch(() => {})
      await watch?.close()
    },
  }
}

/** Returns what is watched of a folder: its included files, and the folder itself where it is a link, which may be led elsewhere. */
const watchedOf = (folder: string, isIncluded: (path: string) => boolean): Watched[] => {
  const inside = (path: string): boolean => path === folder || (dirname(path) === folder && (isOfVolume(path) || isIncluded(path)))
  const parent = dirname(folder)
  return [
    { paths: [folder], ignored: (path) => !inside(path) },
    { paths: [parent], ignored: (path) => path !== parent && path !== folder, followLinks: false },
  ]
}

/** Returns the path without links; `null` where nothing is there, because a folder that comes must be watched anew. */
const realPath = (path: string): string | null => {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
