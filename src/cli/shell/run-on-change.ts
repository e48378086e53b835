/** `--watch`: runs a command again when a file that it reads changes. */

import { existsSync, statSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { shownFile } from '../../core/diagnostic.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { type Cli, note, printFaultOf } from './output.ts'
import { createFileWatch, type Watched } from './watch-files.ts'

/** A command to run again and again. */
export type Rerun = {
  /** The files and folders that the command was given. A folder stands for all files in it and below it. */
  readonly paths: readonly string[]
  /**
   * Runs the command once, and returns the files that it read. A file that it writes counts as changed, so a run must write nothing where
   * nothing has changed.
   */
  readonly run: () => Promise<readonly string[]>
}

/**
 * Runs a command at once, and again after each change, until Ctrl-C. Returns the exit code: 130 after Ctrl-C, 0 when nobody reads the
 * output any more. Throws the Fault of the first run. Faults of later runs are printed.
 */
export const runOnChange = async ({ paths, run }: Rerun, cli: Cli): Promise<number> => {
  if (cli.json) throw usage('--watch prints again and again: --json gives one document')
  const stopped = cli.io.stopped()
  const changes = createLatch<string>()
  const watched = createWatchedPaths()
  const failed = (why: string): void => note(cli, `cannot watch: ${printable(why)}`)
  const files = createFileWatch({ changed: changes.put, failed })
  const watch = async (paths: readonly string[]): Promise<void> => {
    const fresh = watched.add(paths)
    if (fresh.paths.length > 0) await files.add(fresh)
  }
  try {
    // Watching begins before the files are read, so that no change is missed.
    await watch(paths)
    for (let isFirst = true; ; isFirst = false) {
      const read = await Promise.race([runAgain(run, isFirst, cli), stopped])
      if (typeof read === 'string') return exitCodeOf(read)
      await watch(read)
      note(cli, 'watching: Ctrl-C ends it')
      const next = await Promise.race([changes.take(), stopped])
      if (typeof next === 'string') return exitCodeOf(next)
      note(cli, `\n${printable(shownFile(next.held))} changed`)
    }
  } finally {
    await files.close()
  }
}

const exitCodeOf = (why: 'cancelled' | 'gone'): number => (why === 'gone' ? exit.ok : exit.cancelled)

const runAgain = async (run: Rerun['run'], isFirst: boolean, cli: Cli): Promise<readonly string[]> => {
  try {
    return await run()
  } catch (error) {
    if (isFirst || !(error instanceof Fault)) throw error
    await printFaultOf(error, cli)
    return []
  }
}

/** Returns a latch for one value: `put` keeps a value in place of the one before, and `take` waits for a value and removes it. */
const createLatch = <T>() => {
  let last: { readonly held: T } | undefined
  let wake = (): void => {}
  return {
    put: (held: T): void => {
      last = { held }
      wake()
    },
    take: async (): Promise<{ readonly held: T }> => {
      while (!last)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const taken = last
      last = undefined
      return taken
    },
  }
}

/** Whether the name of a file or folder shows that a gateway, a package manager or an editor writes it for itself. */
const isNoise = (name: string): boolean => /^(?:state|node_modules|\d+|\.(?!env$).*)$|(?:~|\.tmp|\.bak|\.lock|\.log|\.\d+)$/.test(name)

/**
 * Returns the set of all watched paths. A file is watched through its folder, because only the folder shows that the file was replaced, or
 * was deleted and made again.
 */
const createWatchedPaths = () => {
  const all: WatchedPaths[] = []
  const isWatched = (path: string): boolean => all.some((each) => covers(each, path))
  return {
    /** Adds paths, and returns what must be watched for the paths that were not watched before. */
    add: (paths: readonly string[]): Watched => {
      const fresh = [...new Set(paths.map((path) => resolve(path)))].filter((path) => !isWatched(path))
      const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()
      const watched = { folders: fresh.filter(isFolder), files: new Set(fresh.filter((path) => !isFolder(path))) }
      const roots = new Set([...watched.folders, ...[...watched.files].map((path) => dirname(path))])
      all.push(watched)
      // Each call adds another watch. A watch ignores the paths of the other watches, so that one watch alone reports a change.
      return { paths: [...roots], ignored: (path) => !roots.has(path) && !covers(watched, path) }
    },
  }
}

type WatchedPaths = { readonly folders: readonly string[]; readonly files: ReadonlySet<string> }

const covers = ({ folders, files }: WatchedPaths, path: string): boolean =>
  files.has(path) || folders.some((folder) => isBelow(path, folder))

const isBelow = (path: string, folder: string): boolean => {
  const parts = relative(folder, path).split(sep)
  return parts[0] !== '..' && !parts.some(isNoise)
}
