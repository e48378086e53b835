/**
 * The lock under which commands and gateways change a file: a folder beside the file, which one process can make. Whoever comes second
 * waits for the first, and then sees what the first wrote. The holder renews the time of its lock; a lock that nobody renews belongs to a
 * dead process, and goes to the next. Where a process was only held up for so long, it finds that its lock is lost.
 */

import { mkdirSync, rmdirSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { pause, systemClock, unrefClock } from '../../core/clock.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { makeFolder } from '../../core/durable-file.ts'
import { codeOf, exit, Fault } from '../../core/fault.ts'
import { stampOf } from '../../core/file-stamp.ts'
import { repeat } from '../../core/turns/repeat.ts'
import { refuseOdd } from './replace-file.ts'

/** A process that has not renewed its lock for this long counts as dead. */
const staleMs = 5_000
/** How long to wait for another command's lock. The lock of a dead process ends earlier. */
const longestLockWaitMs = 30_000
const longestPauseMs = 250

/** A lock that this process holds. `lost`: whether another process has taken the lock since, because it took this process for dead. */
type HeldLock = { readonly lost: () => boolean; readonly release: () => Promise<void> }

/** Waits for the lock of a file, which need not exist. Throws a Fault where the lock is not free in time, or cannot be made. */
export const lockFile = async (file: string): Promise<HeldLock> => {
  const folder = `${file}.lock`
  try {
    refuseOdd(file)
    await makeFolder(dirname(file))
    for (const end = performance.now() + longestLockWaitMs; !tryLock(folder); await pause(Math.random() * longestPauseMs, systemClock)) {
      if (performance.now() > end) throw conflict(`another command is changing ${file}`, `try again; if none is running, remove ${folder}`)
    }
    return holdLock(folder)
  } catch (error) {
    throw diskFault('write', file, error)
  }
}

/** Makes the folder of a lock, also in the place of a dead process's. Returns `false` while another process holds the lock. */
const tryLock = (folder: string): boolean => {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  try {
    // Between these two calls another process may take the lock over: it then finds, before it writes, that its lock is lost.
    if (statSync(folder).mtimeMs < Date.now() - staleMs) rmdirSync(folder)
  } catch (error) {
    // Somebody else has removed it.
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return false
}

/** Renews a lock that was just taken until it is released, lost, or the process ends. */
const holdLock = (folder: string): HeldLock => {
  let stamp = ''
  const lost = (): boolean => stampOf(folder) !== stamp
  const renew = (): void => {
    // The fraction distinguishes the lock from one that another process made in its place within one tick of the file system's clock.
    const seconds = (Date.now() + Math.random()) / 1_000
    utimesSync(folder, seconds, seconds)
    stamp = stampOf(folder)
  }
  renew()
  // A renewal of the lock may fail once, as on a full disk, and the next one succeed: the loop goes on.
  const renewal = repeat(unrefClock, staleMs / 2, () => void (lost() || renew()), { failed: () => {} })
  const remove = (): void => {
    void renewal.stop()
    process.off('exit', remove)
    try {
      if (!lost()) rmdirSync(folder)
    } catch {
      // The folder could not be removed. Nobody renews the lock any more, so it ends by itself.
    }
  }
  process.once('exit', remove)
  return { lost, release: async () => remove() }
}

/** Returns the Fault for a file that another command or a text editor is changing or has changed. */
export const conflict = (message: string, hint: string): Fault => new Fault('conflict', message, { exitCode: exit.conflict, hint })
