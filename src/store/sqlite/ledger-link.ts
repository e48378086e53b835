/** What the queue has of one ledger: it commits batches until one fails. Then another ledger takes its place, over the same database. */

import { Fault, messageOf, StoreFault } from '../../core/fault.ts'
import { DurableDatabase } from './durable-database.ts'
import { Ledger } from './ledger.ts'
import type { Batch, Done, LedgerStart } from './steps.ts'

/** `undefined` until it was opened once. */
export type Disk = { database: DurableDatabase | undefined }

export class LedgerLink {
  readonly #start: LedgerStart
  readonly #disk: Disk
  #ledger: Ledger | undefined
  #works = true

  constructor(start: LedgerStart, disk: Disk) {
    this.#start = start
    this.#disk = disk
  }

  /** Whether it may be asked: nothing failed. */
  get works(): boolean {
    return this.#works
  }

  /** Opens the database, or brings it back after a failure, and gives the backlog. Throws a Fault when it cannot be opened. */
  async opened(): Promise<number> {
    try {
      const { folder, durability } = this.#start
      await this.#disk.database?.recover()
      const database = this.#disk.database ?? new DurableDatabase(folder, durability)
      this.#disk.database = database
      this.#ledger = await database.commit(() => new Ledger(database.db, this.#start))
      return this.#ledger.backlog
    } catch (thrown) {
      throw this.#failed(thrown)
    }
  }

  /** Commits a batch. Once it rejected, it works no more. */
  async ask(batch: Batch): Promise<Done> {
    try {
      const [{ database }, ledger] = [this.#disk, this.#ledger]
      if (!database || !ledger) throw new StoreFault('the store is not open')
      const results = await database.commit(() => ledger.run(batch))
      return { results, backlog: ledger.backlog }
    } catch (thrown) {
      throw this.#failed(thrown)
    }
  }

  async close(): Promise<void> {
    await this.#disk.database?.close()
    this.#disk.database = undefined
  }

  #failed(thrown: unknown): Fault | StoreFault {
    this.#works = false
    return thrown instanceof Fault || thrown instanceof StoreFault ? thrown : new StoreFault(messageOf(thrown), { cause: thrown })
  }
}
