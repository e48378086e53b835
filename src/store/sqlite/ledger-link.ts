/** What the queue has of one ledger: it commits batches until one fails. Then another ledger takes its place, over the same database. */

import { Fault, messageOf, StoreFault } from '../../core/fault.ts'
import { DurableDatabase } from './durable-database.ts'
import { Ledger } from './ledger.ts'
import type { Batch, BatchResult, LedgerStart } from './steps.ts'

/** `undefined` until it was opened once. */
export type Disk = { database: DurableDatabase | undefined }

export class LedgerLink {
  readonly #start: LedgerStart
  readonly #disk: Disk
  #ledger: Ledger | undefined

  constructor(start: LedgerStart, disk: Disk) {
    this.#start = start
    this.#disk = disk
  }

  /** Opens the database, or brings it back after a failure, and gives the backlog. Rejects with a Fault when it cannot be opened. */
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

  /** Commits a batch. Once it rejected, it may not be asked again. */
  ask(batch: Batch): Promise<BatchResult> {
    const { database } = this.#disk
    const ledger = this.#ledger
    if (!database || !ledger) return Promise.reject(new StoreFault('the store is not open'))
    return database.commit(() => ledger.run(batch))
  }

  async close(): Promise<void> {
    await this.#disk.database?.close()
    this.#disk.database = undefined
  }
}
