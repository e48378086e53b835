/** Watches the files of a configuration, for `gateway run --watch`. */

import { basename, dirname, relative, sep } from 'node:path'
import { createFileWatch } from '../shell/watch-files.ts'

/** The names of the files that are watched. */
const watchedNames = new Set(['config.yaml', '.env'])

export type ConfigWatchOptions = {
  readonly dataDir: string
  readonly configFile?: string | undefined
  readonly changed: () => void
  readonly failed: (why: string) => void
}

/**
 * Calls `changed` when a `config.yaml` or `.env` has changed, in the data directory or in the folder of a profile below it, or when
 * `configFile` has changed. Resolves to a function that ends the watching.
 */
export const watchConfiguration = async ({ dataDir, configFile, changed, failed }: ConfigWatchOptions): Promise<() => Promise<void>> => {
  const isFolder = (path: string): boolean => {
    const parts = relative(dataDir, path).split(sep)
    return path === dataDir || (parts[0] === 'profiles' && parts.length <= 2)
  }
  const ignored = (path: string): boolean =>
    !isFolder(path) && path !== configFile && !(watchedNames.has(basename(path)) && isFolder(dirname(path)))
  const files = createFileWatch({ changed, failed })
  await files.add({ paths: [dataDir, ...(configFile === undefined ? [] : [configFile])], ignored })
  return () => files.close()
}
