/** Watches files, and calls back when a change is complete. */

import { messageOf } from '../../core/fault.ts'

/** Editors save in several steps. Steps within this time are one change. */
const settleMs = 200

export type Watching = {
  /** Files and folders. What is not there yet is seen when it comes, as long as its folder is there. */
  readonly paths: readonly string[]
  /** What does not count; asked about folders too, of which then nothing counts. */
  readonly ignored: (path: string) => boolean
  /** Gets the last path of a change. */
  readonly changed: (path: string) => void
  readonly failed: (why: string) => void
}

/** Watches until the returned function is called. Resolves when it misses nothing any more. */
export const watchFiles = async ({ paths, ignored, changed, failed }: Watching): Promise<() => Promise<void>> => {
  const { watch } = await import('chokidar')
  let timer: NodeJS.Timeout | undefined
  const watcher = watch([...paths], { ignoreInitial: true, ignored })
  watcher.on('all', (_event, path) => {
    clearTimeout(timer)
    timer = setTimeout(changed, settleMs, path)
  })
  watcher.on('error', (error) => failed(messageOf(error)))
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
  return async () => {
    clearTimeout(timer)
    await watcher.close()
  }
}
