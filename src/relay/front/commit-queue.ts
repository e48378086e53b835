/** Commits work on a relay's database in groups: what comes while a commit is on its way to the disk shares the next one. */

import type Database from 'libsql'
import { messageOf, StoreFault } from '../../core/fault.ts'
import { nextTurn } from '../../core/turns/taking-turns.ts'
import { DurableDatabase } from '../../store/sqlite/durable-database.ts'
import type { DatabaseForm } from '../../store/sqlite/schema.ts'

/** The most calls in one commit, the most calls that wait, and the most bytes of requests in the calls that wait. */
const maxBatch = 256
const maxWaiting = 10_000
const maxWaitingBytes = 64 * 1024 * 1024

/** Work in a transaction. `work` returns the function that gives the caller its result. `bytes`: what waits with it in memory. */
type QueuedWork = { readonly work: () => () => void; readonly bytes: number; readonly reject: (why: StoreFault) => void }

export class CommitQueue {
  readonly #database: DurableDatabase
  #waiting: QueuedWork[] = []
  /** The bytes of the work that waits or is on its way to the disk. */
  #bytes = 0
  #pumping: Promise<void> | undefined
  #isBroken = false
  #mustDropLog = false
  #isClosed = false

  /** Opens the database. Throws a Fault. */
  constructor(folder: string, form: DatabaseForm) {
    this.#database = new DurableDatabase(folder, 'fsync', undefined, 'work', form)
  }

  /** The database, to read what is committed. */
  get db(): Database.Database {
    return this.#database.db
  }

  /**
   * Runs `work` in a transaction, and resolves to its result once it is on the disk. `bytes`: the size of a request that waits in memory until
   * then. Rejects with a StoreFault, at once where too much waits.
   */
  run<T>(work: (db: Database.Database) => T, bytes = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new StoreFault('the relay is closed'))
      const isFull = this.#waiting.length >= maxWaiting || (bytes > 0 && this.#bytes + bytes > maxWaitingBytes)
      if (isFull) return reject(new StoreFault('too many requests wait for the disk'))
      const settled = (): (() => void) => {
        const result = work(this.db)
        return () => resolve(result)
      }
      this.#bytes += bytes
      this.#waiting.push({ work: settled, bytes, reject })
      this.#pumping ??= this.#pump()
    })
  }

  /** Cuts off the database's write-ahead log after the next commit, so that nothing of deleted rows stays in it. */
  dropLog(): void {
    this.#mustDropLog = true
    this.#pumping ??= this.#pump()
  }

  async #pump(): Promise<void> {
    // The work of this turn of the event loop shares the first commit.
    await nextTurn()
    while (this.#waiting.length > 0 || this.#mustDropLog) {
      if (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, maxBatch))
      if (this.#mustDropLog) await this.#dropLog()
    }
    this.#pumping = undefined
  }

  async #commit(calls: readonly QueuedWork[]): Promise<void> {
    try {
      if (this.#isBroken) await this.#database.recover()
      this.#isBroken = false
      const settle = await this.#database.commit(() => this.#transaction(calls))
      for (const each of settle) each()
    } catch (thrown) {
      this.#isBroken = true
      for (const { reject } of calls) reject(new StoreFault(messageOf(thrown), { cause: thrown }))
    } finally {
      for (const { bytes } of calls) this.#bytes -= bytes
    }
  }

  async #dropLog(): Promise<void> {
    this.#mustDropLog = false
    try {
      if (!this.#isBroken) await this.#database.dropLog()
    } catch {
      // The next commit recovers the database, and says what is wrong with it.
      this.#isBroken = true
    }
  }

  #transaction(calls: readonly QueuedWork[]): (() => void)[] {
    this.db.exec('begin immediate')
    try {
      const settle = calls.map(({ work }) => work())
      this.db.exec('commit')
      return settle
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('rollback')
      throw error
    }
  }

  /** Commits what waits, and closes the database. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pumping
    await this.#database.close()
  }
}
