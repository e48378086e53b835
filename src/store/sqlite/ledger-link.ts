/**
 * The link between the queue of calls and a ledger. A link commits batches until a batch fails. Then a new link to the same database
 * replaces the failed link.
 */

import { Fault, messageOf, StoreFault } from '../../core/fault.ts'
import type { HeldFile } from '../store-part.ts'
import { DurableDatabase } from './durable-database.ts'
import { Ledger } from './ledger.ts'
import type { BatchResult, LedgerStart, StepBatch } from './steps.ts'

/**
 * The open database, which a new link takes over from the failed link. `undefined` until a link has opened the database, and once it is
 * closed.
 */
export type Disk = { database: DurableDatabase | undefined }

export class LedgerLink {
  readonly #start: LedgerStart
  readonly #disk: Disk
  #ledger: Ledger | undefined

  constructor(start: LedgerStart, disk: Disk) {
    this.#start = start
    this.#disk = disk
  }

  /**
   * Opens the database, or recovers it after a failure, and resolves to the backlog. Rejects with a Fault or a StoreFault when the database
   * cannot be opened.
   */
  async opened(): Promise<number> {
    try {
      const { folder, durability } = this.#start
      await this.#disk.database?.recover()
      const database = this.#disk.database ?? new DurableDatabase(folder, durability)
      this.#disk.database = database
      this.#ledger = await database.commit(() => new Ledger(database.db, this.#start))
      return this.#ledger.backlog
    } catch (thrown) {
      throw thrown instanceof Fault || thrown instanceof StoreFault ? thrown : new StoreFault(messageOf(thrown), { cause: thrown })
    }
  }

  /** Commits a batch. After a rejection the link must not be used again. */
  ask(batch: StepBatch): Promise<BatchResult> {
    const { database } = this.#disk
    const ledger = this.#ledger
    if (!database || !ledger) return Promise.reject(new StoreFault('the store is not open'))
    return database.commit(() => ledger.run(batch))
  }

  /** Holds the database file as it is (DurableDatabase). Not called while a batch is committed. */
  async hold(): Promise<HeldFile> {
    return this.#database().hold()
  }

  /** Leaves nothing of deleted rows in the files (DurableDatabase). Not called while a batch is committed. */
  async compact(): Promise<void> {
    await this.#database().compact()
  }

  #database(): DurableDatabase {
    if (!this.#disk.database) throw new StoreFault('the store is not open')
    return this.#disk.database
  }

  async close(): Promise<void> {
    await this.#disk.database?.close()
    this.#disk.database = undefined
  }
}
