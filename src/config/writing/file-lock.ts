/**
 * The lock under which commands and gateways change a file. Whoever comes second waits for the first, and then sees what the first wrote.
 */

import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import { makeFolder, refuseOdd } from './replace-file.ts'

/** A process that has not renewed its lock for this long counts as dead. */
const staleMs = 5_000
/** How long to wait for another command's lock. The lock of a dead process ends earlier. */
const longestLockWaitMs = 30_000
const longestPauseMs = 250

/** A lock that this process holds. `lost`: whether another process has taken the lock since, because it took this process for dead. */
type HeldLock = { readonly lost: () => boolean; readonly release: () => Promise<void> }

/** Waits for the lock of a file, which need not exist. Throws a Fault where the lock is not free in time, or cannot be made. */
export const lockFile = async (file: string): Promise<HeldLock> => {
  try {
    refuseOdd(file)
    await makeFolder(dirname(file))
    return await acquireLock(file)
  } catch (error) {
    throw diskFault('write', file, error)
  }
}

const goOn = (): void => {}

/**
 * Loads the library for a process that locks. The library ends the process at each signal to which nobody else listens. A write past the
 * limit of a file's size must only fail, as Node has it, so that the gateway says 503 and goes on.
 */
const loadLock = async () => {
  process.off('SIGXFSZ', goOn).on('SIGXFSZ', goOn)
  const { default: library } = await import('proper-lockfile')
  return library.lock
}

const acquireLock = async (file: string): Promise<HeldLock> => {
  const lock = await loadLock()
  let lost = false
  // The lock is a folder. Only its owner may open it.
  const ownerOnlyFs = { ...fs, mkdir: (path: string, done: fs.NoParamCallback) => fs.mkdir(path, { mode: 0o700 }, done) }
  const onCompromised = (): void => {
    lost = true
  }
  for (const end = performance.now() + longestLockWaitMs; ; await wait(Math.random() * longestPauseMs)) {
    try {
      const release = await lock(file, { realpath: false, stale: staleMs, fs: ownerOnlyFs, onCompromised })
      return { lost: () => lost, release: () => release().catch(() => {}) }
    } catch (error) {
      // The library's own retries would also repeat errors of the disk. This loop tries again only while another command holds the lock.
      if (!isLockHeld(error)) throw error
      if (performance.now() > end)
        throw conflict(`another command is changing ${file}`, `try again; if none is running, remove ${file}.lock`)
    }
  }
}

const isLockHeld = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ELOCKED'

/** Returns the Fault for a file that another command or a text editor is changing or has changed. */
export const conflict = (message: string, hint: string): Fault => new Fault('conflict', message, { exitCode: exit.conflict, hint })
