/** Watches files, and calls back when a change is complete. */

import type { FSWatcher } from 'chokidar'
import { messageOf } from '../../core/fault.ts'

/** Editors save in several steps. Steps within this time are one change. */
const settleMs = 200

export type Watching = {
  /** Gets the last path of a change. */
  readonly changed: (path: string) => void
  readonly failed: (why: string) => void
}

export type Watched = {
  /** Files and folders. What is not there yet is seen when it comes, as long as its folder is there. */
  readonly paths: readonly string[]
  /** What does not count; asked about folders too, of which then nothing counts. */
  readonly ignored: (path: string) => boolean
}

export interface FileWatch {
  /** Resolves when it misses nothing of them any more. */
  add(watched: Watched): Promise<void>
  close(): Promise<void>
}

export const createFileWatch = ({ changed, failed }: Watching): FileWatch => {
  const watchers: FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  return {
    async add({ paths, ignored }) {
      const { watch } = await import('chokidar')
      const watcher = watch([...paths], { ignoreInitial: true, ignored })
      watchers.push(watcher)
      watcher.on('all', (_event, path) => {
        clearTimeout(timer)
        timer = setTimeout(changed, settleMs, path)
      })
      watcher.on('error', (error) => failed(messageOf(error)))
      await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
    },
    async close() {
      clearTimeout(timer)
      await Promise.all(watchers.map((watcher) => watcher.close()))
    },
  }
}
