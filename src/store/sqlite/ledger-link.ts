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
  opened(): Promise<number> {
    return this.#unlessFailed(async () => {
      const { folder, durability } = this.#start
      await this.#disk.database?.recover()
      const database = this.#disk.database ?? new DurableDatabase(folder, durability)
      this.#disk.database = database
      this.#ledger = await database.commit(() => new Ledger(database.db, this.#start))
      return this.#ledger.backlog
    })
  }

  /** Commits a batch. Once it rejected, it works no more. */
  ask(batch: Batch): Promise<Done> {
    return this.#unlessFailed(async () => {
      const [{ database }, ledger] = [this.#disk, this.#ledger]
      if (!database || !ledger) throw new StoreFault('the store is not open')
      const results = await database.commit(() => ledger.run(batch))
      return { results, backlog: ledger.backlog }
    })
  }

  async close(): Promise<void> {
    await this.#disk.database?.close()
    this.#disk.database = undefined
  }

  async #unlessFailed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      this.#works = false
      throw thrown instanceof Fault || thrown instanceof StoreFault ? thrown : new StoreFault(messageOf(thrown), { cause: thrown })
    }
  }
}
