/**
 * Keeps one connection to the database open, and sends calls over it in their order. Calls of one kind that come one after the other are
 * sent as one statement, as far as their kind allows. Calls that come shortly after others were sent wait, and are then sent together.
 */

import { StoreFault } from '../../../core/fault.ts'
import { Scope } from '../../../core/scope.ts'
import { nextTurn } from '../../../core/turns/taking-turns.ts'
import type { StoreOptions } from '../../store-part.ts'
import type { CallKind } from '../call-kind.ts'
import type { DatabaseConnection } from '../connection.ts'
import { type FailureVerdict, judge, storeFault } from '../database-error.ts'
import type { CallBatch, Settlement } from './call-batch.ts'
import { CallQueue } from './call-queue.ts'
import { type Connecting, connectAgain } from './connect-again.ts'

/** While this many calls are under way, further calls wait until these are answered. */
const maxUnderWay = 2_000
/**
 * How long further calls wait while calls are under way, in milliseconds. So calls to a server nearby gather until the calls before them are
 * answered, and calls to a server far away do not wait for the network twice.
 */
const gatherMs = 1
/** How long calls wait while there is no connection, in milliseconds. */
const giveUpMs = 1_500
/** A call that was under way when its connection broke is sent again only if it was made less than this time ago, in milliseconds. */
const sendAgainMs = 1_000
/**
 * A call that the server rolled back because of another statement is sent again only if it was made less than this time ago, in
 * milliseconds. A server needs a second to see a deadlock.
 */
const repeatMs = 1_500
const maxSendings = 10

export type LinkOptions = Pick<StoreOptions, 'committed'> & Connecting

export class DatabaseLink {
  readonly #options: LinkOptions
  #connection: DatabaseConnection | undefined
  readonly #queue = new CallQueue()
  /** The number of calls that were sent and not answered. */
  #underWay = 0
  #sentAt = 0
  /** Settles when the batches that were sent last are answered. The server answers in order, so all earlier batches are answered then. */
  #lastAnswer: Promise<void> = Promise.resolve()
  #pumping: Promise<void> | undefined
  #connecting: Promise<void> | undefined
  /** The fault with which calls are refused at once, because no server could be reached for `giveUpMs`; `undefined` otherwise. */
  #away: StoreFault | undefined
  readonly #scope = new Scope()

  /** `opened`: an open connection. Without it, the link connects at its first call. */
  constructor(options: LinkOptions, opened?: DatabaseConnection) {
    this.#options = options
    this.#scope.defer(() => this.#end())
    if (opened) this.#use(opened)
  }

  /** Sends a call, and resolves to its answer. Rejects with a StoreFault. */
  call<Call, Answer>(kind: CallKind<Call, Answer>, call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal()
      if (refusal) return reject(refusal)
      const settlement: Settlement = { resolve: resolve as Settlement['resolve'], reject }
      this.#queue.add(kind as CallKind<unknown, unknown>, call, settlement, this.#options.clock.monotonic())
      this.#wake()
    })
  }

  /** Resolves when the link has connected, for the first time or again; at once where it is not connecting. */
  recovered(): Promise<void> {
    return this.#connecting ?? Promise.resolve()
  }

  /** Whether the link is not connecting now, neither for the first time nor again. */
  get isUp(): boolean {
    return this.#connecting === undefined
  }

  close(): Promise<void> {
    return this.#scope.close()
  }

  #refusal(): StoreFault | undefined {
    if (this.#isClosing) return new StoreFault('the store is closed')
    if (this.#away !== undefined) return this.#away
    return this.#queue.isFull ? new StoreFault('too many calls wait for the store') : undefined
  }

  /** Sends the calls that wait. Where there is no connection, connects first. */
  #wake(): void {
    if (this.#connection === undefined) this.#reconnect()
    else this.#pumping ??= this.#pump(this.#connection)
  }

  async #pump(connection: DatabaseConnection): Promise<void> {
    while (!this.#queue.isEmpty && this.#connection === connection) {
      await this.#gathered()
      // All calls that are made in this turn of the event loop are sent together.
      await nextTurn()
      if (this.#connection !== connection) break
      this.#sentAt = this.#options.clock.monotonic()
      // With more calls under way, the last statement might not be answered within the driver's `query_timeout`.
      this.#lastAnswer = this.#send(connection, this.#queue.take(maxUnderWay - this.#underWay))
      if (this.#underWay >= maxUnderWay) await this.#lastAnswer
    }
    this.#pumping = undefined
    if (!this.#queue.isEmpty) this.#wake()
  }

  /**
   * Resolves when no calls are under way any more, and at the latest about `gatherMs` after calls were sent: timers count whole
   * milliseconds.
   */
  #gathered(): Promise<void> | undefined {
    const { clock } = this.#options
    const waitMs = this.#underWay === 0 ? 0 : gatherMs - (clock.monotonic() - this.#sentAt)
    if (waitMs <= 0) return undefined
    return new Promise((resolve) => {
      const cancel = clock.after(waitMs, resolve)
      void this.#lastAnswer.then(() => {
        cancel()
        resolve()
      })
    })
  }

  async #send(connection: DatabaseConnection, batches: readonly CallBatch[]): Promise<void> {
    for (const { size } of batches) this.#underWay += size
    const outcomes = await Promise.all(batches.map((batch) => this.#ask(connection, batch)))
    const again = batches.filter((_, i) => outcomes[i] === 'again')
    for (const { size } of batches) this.#underWay -= size
    if (again.length === 0) return
    // Batches that were sent one after the other may be lost with one connection. Each sending puts its own batches back, so all are sorted.
    this.#queue.putBack(again)
    this.#wake()
  }

  async #ask(connection: DatabaseConnection, batch: CallBatch): Promise<'ended' | 'again'> {
    try {
      batch.sendings++
      const rows = await connection.query(batch.kind, batch.kind.values(batch.calls))
      batch.resolve(rows)
      this.#tell(true, batch)
      return 'ended'
    } catch (error) {
      const verdict = judge(error)
      batch.error = storeFault(error)
      if (verdict === 'unknown' || verdict === 'standby') this.#lose(connection)
      const mayRepeat = verdict === 'undone' || verdict === 'standby' || (verdict === 'unknown' && batch.kind.isRepeatable)
      if (mayRepeat && !this.#isLate(batch, verdict) && !this.#isClosing) return 'again'
      batch.reject(batch.error, verdict === 'unknown')
      this.#tell(false, batch)
      return 'ended'
    }
  }

  #tell(ok: boolean, { size, since }: CallBatch): void {
    const { committed, clock } = this.#options
    committed?.(ok, size, clock.monotonic() - since)
  }

  #isLate({ since, sendings }: CallBatch, verdict: FailureVerdict): boolean {
    const mayTakeMs = verdict === 'undone' ? repeatMs : sendAgainMs
    return sendings >= maxSendings || this.#options.clock.monotonic() - since > mayTakeMs
  }

  #use(connection: DatabaseConnection): void {
    this.#connection = connection
    this.#away = undefined
    connection.whenOver(() => this.#lose(connection))
  }

  #lose(connection: DatabaseConnection): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.drop()
    this.#rejectLate()
    this.#reconnect()
  }

  /** Rejects calls that have waited for longer than `sendAgainMs` already, so that they do not wait for a new connection too. */
  #rejectLate(): void {
    const now = this.#options.clock.monotonic()
    this.#queue.reject(new StoreFault('the database did not answer in time'), ({ since }) => now - since > sendAgainMs)
  }

  #reconnect(): void {
    if (this.#isClosing || this.#connecting !== undefined) return
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined
      // The new connection may be lost already, and then only this wakes the queue to connect once more.
      if (!this.#queue.isEmpty) this.#wake()
    })
  }

  async #connect(): Promise<void> {
    let why: unknown = new StoreFault('the database did not answer')
    const cancel = this.#options.clock.after(giveUpMs, () => this.#giveUp(why))
    const connection = await connectAgain(this.#options, this.#scope.signal, (error) => {
      why = error
    })
    cancel()
    // Calls that were made before `close` are still sent.
    if (connection && this.#isClosing && this.#queue.isEmpty) connection.drop()
    else if (connection) this.#use(connection)
  }

  #giveUp(why: unknown): void {
    this.#away = storeFault(why)
    this.#queue.reject(this.#away)
  }

  get #isClosing(): boolean {
    return this.#scope.isClosed
  }

  async #end(): Promise<void> {
    await this.#connecting
    await this.#pumping
    await this.#lastAnswer
    this.#queue.reject(new StoreFault('the store is closed'))
    const connection = this.#connection
    this.#connection = undefined
    await connection?.end()
  }
}
