/** Watches the files of a configuration, and calls back when a change is complete. */

import { basename, dirname, relative, sep } from 'node:path'
import { messageOf } from '../../core/fault.ts'

/** Editors save in several steps. Steps within this time are one change. */
const settleMs = 200
const watched = new Set(['config.yaml', '.env'])

export type Watching = {
  readonly dataDir: string
  readonly configFile?: string | undefined
  readonly changed: () => void
  readonly failed: (why: string) => void
}

/** Watches `config.yaml` and `.env` of the data directory and of its profiles, until the returned function is called. */
export const watchFiles = async ({ dataDir, configFile, changed, failed }: Watching): Promise<() => Promise<void>> => {
  const { watch } = await import('chokidar')
  let timer: NodeJS.Timeout | undefined
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, settleMs)
  }
  const folders = (path: string): boolean => {
    const parts = relative(dataDir, path).split(sep)
    return path === dataDir || (parts[0] === 'profiles' && parts.length <= 2)
  }
  const watcher = watch([dataDir, ...(configFile === undefined ? [] : [configFile])], {
    ignoreInitial: true,
    depth: 2,
    ignored: (path) => !folders(path) && path !== configFile && !(watched.has(basename(path)) && folders(dirname(path))),
  })
  watcher.on('all', soon)
  watcher.on('error', (error) => failed(messageOf(error)))
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
  return async () => {
    clearTimeout(timer)
    await watcher.close()
  }
}
