/**
 * Queues calls for the ledger, which runs them on the database. Calls that come shortly after each other are one batch, and resolve when
 * the batch is committed. After a failed batch, the queue opens the database again.
 */

import { pause } from '../../core/clock.ts'
import { messageOf, StoreFault } from '../../core/fault.ts'
import { nextTurn } from '../../core/turns/taking-turns.ts'
import type { Accepted } from '../ports.ts'
import type { StoreOptions } from '../store-part.ts'
import { CallBatch, type Settlement } from './call-batch.ts'
import type { Unsettled } from './claims.ts'
import type { DurableDatabase } from './durable-database.ts'
import { type Accept, Ledger, type LedgerStep } from './ledger.ts'

const maxGathered = 10_000
const maxBatch = 1_000
/** A batch of this size waits for no further calls, because a larger batch gains nothing. */
const fullBatch = 64
/** How long after a failed batch the database is opened again, in milliseconds. Until then calls are rejected. */
const restartMs = 500

type QueueOptions = Pick<StoreOptions, 'clock' | 'committed'>

/** Owns the database and its ledger, and replaces a ledger on which a batch has failed. */
export class BatchQueue {
  readonly #options: QueueOptions
  readonly #database: DurableDatabase
  readonly #held: () => readonly number[]
  #ledger: Ledger
  /** Whether the ledger may be used: no batch has failed on it. */
  #works = true
  /** Why the store failed, or could not be opened again. */
  #cause = ''
  /** Resolves when the database has been opened again after a failure, or the queue is closed; `undefined` while the database works. */
  #recovering: Promise<void> | undefined
  /** The present try to open the database again. Calls wait for its end, and are then committed together. */
  #opening: Promise<unknown> | undefined
  /** The unsettled claims of the failed batch. They may have been committed. */
  #doubtful: readonly Unsettled[] = []
  #queue: CallBatch[] = []
  /** Work that waits for the time between two commits. Never rejects. */
  readonly #between: (() => Promise<void>)[] = []
  #waiting = 0
  #pumping: Promise<void> | undefined
  #closing: Promise<void> | undefined
  backlog: number

  /** `held`: returns the runs that this process has taken and not finished. */
  constructor(options: QueueOptions, database: DurableDatabase, ledger: Ledger, held: () => readonly number[]) {
    this.#options = options
    this.#database = database
    this.#ledger = ledger
    this.#held = held
    this.backlog = ledger.backlog
  }

  /** Runs a step with those of other calls, and resolves to its result once it is committed. */
  call<T>(step: LedgerStep<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#batchFor(reject)?.call(step, { resolve, reject }))
  }

  /**
   * As `call`, for a step that makes or frees a claim, or whose result depends on one. `unsettled`: the claims of the step that wait to
   * be settled.
   */
  callOnClaims<T>(step: LedgerStep<T>, unsettled?: readonly Unsettled[]): Promise<T> {
    return new Promise((resolve, reject) => this.#batchFor(reject)?.callOnClaims(step, { resolve, reject }, unsettled))
  }

  accept(accept: Accept): Promise<Accepted> {
    return new Promise((resolve, reject) => this.#batchFor(reject)?.accept(accept, { resolve, reject }))
  }

  /** Does work on the database file between two commits. */
  between<T>(work: (database: DurableDatabase) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) return reject(new StoreFault('the store is closed'))
      this.#between.push(() => this.#onFile(work).then(resolve, reject))
      this.#pumping ??= this.#pump()
    })
  }

  async #onFile<T>(work: (database: DurableDatabase) => Promise<T>): Promise<T> {
    if (!this.#works) throw this.#broken()
    try {
      return await work(this.#database)
    } catch (thrown) {
      this.#fail(thrown, [])
      throw new StoreFault(messageOf(thrown), { cause: thrown })
    }
  }

  /** Returns the batch that one more call joins. `undefined`: the call may not wait, and has been rejected. */
  #batchFor(reject: Settlement<unknown>['reject']): CallBatch | undefined {
    if (this.#closing !== undefined) return void reject(new StoreFault('the store is closed'))
    if (this.#waiting >= maxGathered) return void reject(new StoreFault('too many calls wait for the store'))
    this.#waiting++
    const last = this.#queue.at(-1)
    const batch = last !== undefined && last.size < maxBatch ? last : new CallBatch(this.#now())
    if (batch !== last) this.#queue.push(batch)
    this.#pumping ??= this.#pump()
    return batch
  }

  /** Resolves when a call that has failed may succeed if it is repeated. */
  recovered(): Promise<void> {
    return this.#recovering ?? pause(restartMs, this.#options.clock)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /** Commits one batch at a time. While the disk is busy the next batch grows, so that one commit serves more calls. */
  async #pump(): Promise<void> {
    while (this.#queue.length > 0 || this.#between.length > 0) {
      const between = this.#between.shift()
      if (between) {
        await between()
        continue
      }
      if (!this.#works) this.#recover(0)
      // Calls are gathered as long as each turn of the event loop brings more of them. A lone call waits for one turn.
      for (let size = 0; this.#waiting > size && size < fullBatch; await nextTurn()) size = this.#waiting
      if (this.#opening) {
        await this.#opening
        // Callers that waited in `recovered` call now, and their calls join the batch.
        continue
      }
      const batch = this.#queue.shift() as CallBatch
      this.#waiting -= batch.size
      await this.#commit(batch)
      // Callers that were answered just now may call again, and join the calls that wait already.
      if (this.#queue.length > 0) await nextTurn()
    }
    this.#pumping = undefined
  }

  async #commit(batch: CallBatch): Promise<void> {
    if (!this.#works) return batch.reject(this.#broken())
    try {
      batch.resolve(await this.#database.commit(() => this.#ledger.run(batch.steps, this.#now())))
      this.backlog = this.#ledger.backlog
      this.#tell(true, batch)
    } catch (thrown) {
      this.#tell(false, batch)
      this.#fail(thrown, batch.unsettled)
      batch.reject(thrown instanceof StoreFault ? thrown : new StoreFault(messageOf(thrown), { cause: thrown }))
    }
  }

  #broken(): StoreFault {
    return new StoreFault(`the store failed and is opened again shortly: ${this.#cause}`)
  }

  #fail(thrown: unknown, unsettled: readonly Unsettled[]): void {
    this.#works = false
    this.#cause = messageOf(thrown)
    this.#doubtful = unsettled
    this.#recover(restartMs)
  }

  #tell(ok: boolean, { size, begunAt }: CallBatch): void {
    this.#options.committed?.(ok, size, this.#now() - begunAt)
  }

  #now(): number {
    return this.#options.clock.monotonic()
  }

  /** Opens a broken store again after `inMs` milliseconds, whether a call waits for that or not. Does nothing while that is under way. */
  #recover(inMs: number): void {
    this.#recovering ??= this.#reopen(inMs).finally(() => {
      this.#recovering = undefined
    })
  }

  /**
   * Tries to open the store until a try succeeds or the queue is closed. Between two tries there is a pause, so that a full disk is not
   * tried at each request.
   */
  async #reopen(inMs: number): Promise<void> {
    if (inMs > 0) await pause(restartMs, this.#options.clock)
    while (this.#closing === undefined) {
      this.#opening = this.#open().finally(() => {
        this.#opening = undefined
      })
      if (await this.#opening) return
      await pause(restartMs, this.#options.clock)
    }
  }

  /** Recovers the database, and replaces the ledger. Returns whether that succeeded. */
  async #open(): Promise<boolean> {
    const open = (): Ledger => new Ledger(this.#database.db, this.#now(), { doubtful: this.#doubtful, held: this.#held() })
    try {
      await this.#database.recover()
      this.#ledger = await this.#database.commit(open)
      this.backlog = this.#ledger.backlog
      this.#works = true
    } catch (thrown) {
      // The database does not work yet. The return value says so.
      this.#cause = messageOf(thrown)
    }
    return this.#works
  }

  async #end(): Promise<void> {
    await this.#pumping
    await this.#opening
    await this.#database.close()
  }
}
