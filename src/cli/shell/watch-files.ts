/** Watches files, and calls `changed` once for each change, when the change is complete. */

import type { FSWatcher } from 'chokidar'
import { systemClock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { Timer } from '../../core/turns/timer.ts'

/** Editors save in several steps. Steps within this time, in milliseconds, are one change. */
const settleMs = 200

export type FileWatchOptions = {
  /** Called when a change is complete, with the path that changed last. */
  readonly changed: (path: string) => void
  readonly failed: (why: string) => void
}

/** What one call of `add` watches. */
export type Watched = {
  /** The files and folders to watch. A path that does not exist yet is noticed when it appears, as long as its folder exists. */
  readonly paths: readonly string[]
  /** Whether a path is ignored. An ignored folder is ignored with everything in it. */
  readonly ignored: (path: string) => boolean
  /** Whether what a link leads to is watched (the default), or the link itself. */
  readonly followLinks?: boolean
}

export interface FileWatch {
  /** Begins to watch further paths. Resolves when the watching has begun: no later change of these paths is missed. */
  add(watched: Watched): Promise<void>
  close(): Promise<void>
}

/** Makes a watch, which watches nothing until `add`. */
export const createFileWatch = ({ changed, failed }: FileWatchOptions): FileWatch => {
  const watchers: FSWatcher[] = []
  let last = ''
  const settled = new Timer(systemClock, () => changed(last))
  return {
    async add({ paths, ignored, followLinks = true }) {
      const { watch } = await import('chokidar')
      const watcher = watch([...paths], { ignoreInitial: true, ignored, followSymlinks: followLinks })
      watchers.push(watcher)
      watcher.on('all', (_event, path) => {
        last = path
        settled.start(settleMs)
      })
      watcher.on('error', (error) => failed(messageOf(error)))
      await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
    },
    async close() {
      settled.stop()
      await Promise.all(watchers.map((watcher) => watcher.close()))
    },
  }
}
