/**
 * An open database whose commits never wait for the disk on the event loop: SQLite only writes, and Node's thread pool syncs what SQLite
 * wrote (decision 0086). Opening and closing the database do wait.
 */

import { closeSync, constants, fdatasync, fstat, fstatSync, ftruncate, openSync, read, readSync, write, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type Database from 'libsql'
import { StoreFault } from '../../core/fault.ts'
import type { HeldFile, StoreOptions } from '../store-part.ts'
import { closeDatabase, keepLog, openDatabase } from './database.ts'
import { type DatabaseForm, storeForm } from './schema.ts'

const [stat, readAt, writeAt, cutTo] = [promisify(fstat), promisify(read), promisify(write), promisify(ftruncate)]

/** Resolves once the writes to this file are on the disk. */
export type Sync = (handle: number) => Promise<void>

/** The longest log. A longer log is copied into the database file between two commits. */
const maxLogBytes = 8 * 1024 * 1024
/** The longest log while the file is held. A log that outgrows this ends the hold, so that a slow copy does not fill the disk. */
const maxHeldLogBytes = 256 * 1024 * 1024
const chunkBytes = 1024 * 1024
/** The number of zero bytes that are written ahead of a growing log. */
const aheadBytes = 256 * 1024
/** Zeros for the log's header (https://www.sqlite.org/fileformat.html, 4.1). A log without a valid header is empty. */
const noHeader = Buffer.alloc(32)

/**
 * A database that is synced by its own steps. Each sync that SQLite makes (https://www.sqlite.org/wal.html) has its counterpart here, in
 * the same order: the log after a commit; the database file after the log was copied into it; the log again once it is empty. The log is
 * written in place: zeros are laid out behind its end, and an empty log keeps its length. A file that grows would cost the file system a
 * commit of its own at each sync.
 */
export class DurableDatabase {
  readonly db: Database.Database
  readonly #durability: StoreOptions['durability']
  readonly #sync: Sync
  readonly #file: string
  readonly #fileHandle: number
  readonly #logHandle: number
  /** The copying of the log into the file. No commit is made meanwhile. A failed copying stays here until `recover`. */
  #emptying: Promise<void> | undefined
  /** Whether bytes that were copied into the file may not be on the disk. A system whose sync has failed does not write them again. */
  #isFileDoubtful = false
  /** The present hold on the file. `undefined` where the file may change. */
  #hold: { isWhole: boolean } | undefined
  /** The end of the zeros that were laid out in the log. */
  #laidOut = 0
  readonly #byte = Buffer.alloc(1)

  /** Opens the database. Throws a Fault. */
  constructor(
    folder: string,
    durability: StoreOptions['durability'],
    sync: Sync = promisify(fdatasync),
    use: 'work' | 'move' = 'work',
    form: DatabaseForm = storeForm,
  ) {
    this.#durability = durability
    this.#sync = sync
    this.#file = join(folder, form.name)
    this.db = openDatabase(folder, use, form)
    // Opened only once this process has the database's lock, and closed after the database: closing any handle of a file drops the locks of
    // this process on the file.
    this.#fileHandle = openSync(this.#file, 'r+')
    this.#logHandle = openQuietly(`${this.#file}-wal`)
    process.once('exit', this.#leave)
  }

  /**
   * Runs `work`, a transaction, and resolves to its result when it is on the disk (`fsync`) or written (`commit`). After a rejection, call
   * `recover` before the next commit.
   */
  async commit<T>(work: () => T): Promise<T> {
    await this.#emptying
    this.#emptying = undefined
    const result = work()
    const synced = this.#durability === 'fsync' ? this.#sync(this.#logHandle) : undefined
    let size: number
    try {
      // The length of the log is looked up while the disk works, when the event loop would only wait.
      size = this.#outgrown()
    } finally {
      await synced
    }
    if (size > 0) this.#keepShort(size)
    return result
  }

  /** After a failure: brings the committed data into the file, and onto the disk, so that nothing depends on a log that failed. */
  async recover(): Promise<void> {
    await this.#emptying?.catch(() => {})
    if (this.db.inTransaction) this.db.exec('rollback')
    if (this.#isFileDoubtful) await this.#rewriteFile()
    await this.#emptyLog()
    this.#emptying = undefined
  }

  /**
   * Brings the log into the file, and then leaves the file as it is, so that somebody can copy it: until `release`, commits are only in the
   * log. Call it between two commits. Only one hold is possible at a time: a new hold ends the one before.
   */
  async hold(): Promise<HeldFile> {
    await this.#emptying
    await this.#emptyLog()
    this.#emptying = undefined
    const hold = { isWhole: true }
    this.#hold = hold
    const release = async (): Promise<boolean> => {
      if (this.#hold === hold) this.#hold = undefined
      return hold.isWhole
    }
    return { file: this.#file, release }
  }

  /**
   * Writes the database anew, so that nothing of deleted rows is left in free pages and in the log. Call it between two commits. It blocks
   * the event loop for a second or two for each 100 MB.
   */
  async compact(): Promise<void> {
    await this.#emptying
    this.db.exec('vacuum')
    await this.dropLog()
  }

  /** Brings the log into the file, and cuts it off, so that it has nothing of deleted rows. Call it between two commits. */
  async dropLog(): Promise<void> {
    await this.#emptying
    await this.#emptyLog()
    this.#emptying = undefined
    await cutTo(this.#logHandle, 0)
    this.#laidOut = 0
  }

  /**
   * Closes the database, so that another process can open it. Data that cannot be brought into the file stays in its log. Where the
   * file needs the log and the log cannot be kept, the database stays open until the process ends.
   */
  async close(): Promise<void> {
    await this.#emptying?.catch(() => {})
    process.off('exit', this.#leave)
    if (!this.#leave()) return
    closeDatabase(this.db)
    for (const handle of [this.#fileHandle, this.#logHandle]) closeSync(handle)
  }

  /**
   * Prepares the closing of the database, by `close` or by the end of the process: SQLite then brings the log into the file, with syncs,
   * and deletes it. `false`: the log must not be deleted, because the file needs it.
   */
  readonly #leave = (): boolean => {
    this.#endHold()
    const isSafe = !this.#isFileDoubtful || succeeds(() => keepLog(this.#file))
    succeeds(() => this.db.inTransaction && this.db.exec('rollback'))
    succeeds(() => this.db.pragma('synchronous = FULL'))
    return isSafe
  }

  /**
   * Returns the length of the log when it has outgrown the laid out zeros, else 0. The length is not asked for at each commit: since Linux
   * 6.13, a file whose times were asked for gets new times at its next write, and the sync of a file system without a journal then writes
   * those too.
   */
  #outgrown(): number {
    return readSync(this.#logHandle, this.#byte, 0, 1, this.#laidOut) > 0 ? fstatSync(this.#logHandle).size : 0
  }

  #keepShort(size: number): void {
    if (size <= this.#maxLogBytes) this.#layOut(size)
    else {
      this.#emptying = this.#emptyLog()
      // The next commit rejects with this error.
      this.#emptying.catch(() => {})
    }
  }

  get #maxLogBytes(): number {
    return this.#hold ? maxHeldLogBytes : maxLogBytes
  }

  /** Called when the file is about to change: a copy of the file that is in progress becomes useless. */
  #endHold(): void {
    if (this.#hold) this.#hold.isWhole = false
    this.#hold = undefined
  }

  /** Lays out zeros in the log. A disk without room for them may still have room for the commit. */
  #layOut(from: number): void {
    this.#laidOut = Math.min(from + aheadBytes, this.#maxLogBytes)
    succeeds(() => writeSync(this.#logHandle, Buffer.alloc(this.#laidOut - from), 0, this.#laidOut - from, from))
  }

  async #emptyLog(): Promise<void> {
    this.#endHold()
    await this.#sync(this.#logHandle)
    const [[isBusy, frames, copied] = []] = this.db.prepare('pragma wal_checkpoint(PASSIVE)').raw().all() as number[][]
    if (isBusy !== 0 || frames !== copied) throw new StoreFault('the log of the database cannot be copied into it')
    this.#isFileDoubtful = true
    await this.#sync(this.#fileHandle)
    this.#isFileDoubtful = false
    // SQLite begins the log anew now. Its old commits must not count once the first of them is overwritten or cut off.
    await writeAt(this.#logHandle, noHeader, 0, noHeader.length, 0)
    await this.#sync(this.#logHandle)
    if ((await stat(this.#logHandle)).size > maxLogBytes) await cutTo(this.#logHandle, maxLogBytes)
    this.#laidOut = Math.min(this.#laidOut, maxLogBytes)
  }

  /** Writes each byte of the file again, so that the system must bring the bytes to the disk or report an error. */
  async #rewriteFile(): Promise<void> {
    const { size } = await stat(this.#fileHandle)
    const chunk = Buffer.alloc(chunkBytes)
    for (let at = 0; at < size; at += chunkBytes) {
      const { bytesRead } = await readAt(this.#fileHandle, chunk, 0, chunkBytes, at)
      await writeAt(this.#fileHandle, chunk, 0, bytesRead, at)
    }
  }
}

/** Opens a file so that reading it changes none of its times, where the system allows that. */
const openQuietly = (path: string): number => {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOATIME)
  } catch {
    return openSync(path, 'r+')
  }
}

/** Runs `work`. `false`: it threw, as it may on a failing disk. */
const succeeds = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch {
    return false
  }
}
