/**
 * Keeps one connection to the database open, and sends calls over it in their order. Calls of one kind that come one after the other are
 * sent as one statement, as far as their kind allows. Calls that come shortly after others were sent wait, and are then sent together.
 */

import { StoreFault } from '../../../core/fault.ts'
import type { StoreOptions } from '../../store-part.ts'
import type { CallKind } from '../call-kind.ts'
import type { Connection } from '../connection.ts'
import { judge, storeFault, type Verdict } from '../database-error.ts'
import { CallBatch, type Settlement } from './call-batch.ts'
import { type Connecting, connectAgain } from './connect-again.ts'

/** The most calls that wait. */
const maxGathered = 10_000
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
  #connection: Connection | undefined
  #queue: CallBatch[] = []
  /** The number of calls in the queue. */
  #waiting = 0
  /** The number of calls that were sent and not answered. */
  #underWay = 0
  /** The number of batches that were made, which is the number of the next batch. */
  #made = 0
  /** Settles when the batches that were sent last are answered. The server answers in order, so all earlier batches are answered then. */
  #lastAnswer: Promise<void> = Promise.resolve()
  #pumping: Promise<void> | undefined
  #connecting: Promise<void> | undefined
  /** The fault with which calls are refused at once, because no server could be reached for `giveUpMs`; `undefined` otherwise. */
  #away: StoreFault | undefined
  #closing: Promise<void> | undefined
  /** Aborted when the link is being closed. */
  readonly #stop = new AbortController()

  /** `opened`: an open connection. Without it, the link connects at its first call. */
  constructor(options: LinkOptions, opened?: Connection) {
    this.#options = options
    if (opened) this.#use(opened)
  }

  /** Sends a call, and resolves to its answer. Rejects with a StoreFault. */
  call<Call, Answer>(kind: CallKind<Call, Answer>, call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal()
      if (refusal) return reject(refusal)
      this.#waiting++
      this.#batchFor(kind as CallKind<unknown, unknown>, call).add(call, { resolve: resolve as Settlement['resolve'], reject })
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
    this.#closing ??= this.#end()
    return this.#closing
  }

  #refusal(): StoreFault | undefined {
    if (this.#isClosing) return new StoreFault('the store is closed')
    if (this.#away !== undefined) return this.#away
    return this.#waiting >= maxGathered ? new StoreFault('too many calls wait for the store') : undefined
  }

  #batchFor(kind: CallKind<unknown, unknown>, call: unknown): CallBatch {
    const last = this.#queue.at(-1)
    if (last?.takes(kind, call)) return last
    const batch = new CallBatch(kind, this.#options.clock.monotonic(), this.#made++)
    this.#queue.push(batch)
    return batch
  }

  /** Sends the calls that wait. Where there is no connection, connects first. */
  #wake(): void {
    if (this.#connection === undefined) this.#reconnect()
    else this.#pumping ??= this.#pump(this.#connection)
  }

  async #pump(connection: Connection): Promise<void> {
    while (this.#queue.length > 0 && this.#connection === connection) {
      // All calls that are made in this turn of the event loop are sent together.
      await nextTurn()
      if (this.#connection !== connection) break
      this.#lastAnswer = this.#send(connection, this.#nextBatches())
      await this.#answerOrPause(this.#lastAnswer)
      if (this.#underWay >= maxUnderWay) await this.#lastAnswer
    }
    this.#pumping = undefined
    if (this.#queue.length > 0) this.#wake()
  }

  /** Resolves when the answer has come, or after `gatherMs` where the answer takes longer. */
  #answerOrPause(answer: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(gatherMs, resolve)
      void answer.then(() => {
        cancel()
        resolve()
      })
    })
  }

  /**
   * Takes batches from the queue until `maxUnderWay` calls are under way. With more calls, the last statement might not be answered within
   * the driver's `query_timeout`.
   */
  #nextBatches(): readonly CallBatch[] {
    const batches: CallBatch[] = []
    for (let batch = this.#queue[0]; batch !== undefined && this.#underWay < maxUnderWay; batch = this.#queue[0]) {
      batches.push(batch)
      this.#queue.shift()
      this.#waiting -= batch.size
      this.#underWay += batch.size
    }
    return batches
  }

  async #send(connection: Connection, batches: readonly CallBatch[]): Promise<void> {
    const outcomes = await Promise.all(batches.map((batch) => this.#ask(connection, batch)))
    const again = batches.filter((_, i) => outcomes[i] === 'again')
    for (const { size } of batches) this.#underWay -= size
    for (const { size } of again) this.#waiting += size
    // Batches that were sent one after the other may be lost with one connection. Each sending puts its own batches back, so all are sorted.
    if (again.length > 0) this.#queue = [...again, ...this.#queue].sort((a, b) => a.number - b.number)
  }

  async #ask(connection: Connection, batch: CallBatch): Promise<'ended' | 'again'> {
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

  #isLate({ since, sendings }: CallBatch, verdict: Verdict): boolean {
    const mayTakeMs = verdict === 'undone' ? repeatMs : sendAgainMs
    return sendings >= maxSendings || this.#options.clock.monotonic() - since > mayTakeMs
  }

  #use(connection: Connection): void {
    this.#connection = connection
    this.#away = undefined
    connection.whenOver(() => this.#lose(connection))
  }

  #lose(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.drop()
    this.#rejectLate()
    this.#reconnect()
  }

  /** Rejects calls that have waited for longer than `sendAgainMs` already, so that they do not wait for a new connection too. */
  #rejectLate(): void {
    const isLate = ({ since }: CallBatch): boolean => this.#options.clock.monotonic() - since > sendAgainMs
    const late = this.#queue.filter(isLate)
    this.#queue = this.#queue.filter((batch) => !isLate(batch))
    for (const batch of late) {
      this.#waiting -= batch.size
      batch.reject(new StoreFault('the database did not answer in time'), batch.sendings > 0)
    }
  }

  #reconnect(): void {
    if (this.#isClosing || this.#connecting !== undefined) return
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined
      // The new connection may be lost already.
      if (this.#queue.length > 0) this.#wake()
    })
  }

  async #connect(): Promise<void> {
    let why: unknown = new StoreFault('the database did not answer')
    const cancel = this.#options.clock.after(giveUpMs, () => this.#giveUp(why))
    const connection = await connectAgain(this.#options, this.#stop.signal, (error) => {
      why = error
    })
    cancel()
    // Calls that were made before `close` are still sent.
    if (connection && this.#isClosing && this.#queue.length === 0) connection.drop()
    else if (connection) this.#use(connection)
  }

  #giveUp(why: unknown): void {
    this.#away = storeFault(why)
    this.#rejectAll(this.#away)
  }

  #rejectAll(why: StoreFault): void {
    for (const batch of this.#queue.splice(0)) batch.reject(why, batch.sendings > 0)
    this.#waiting = 0
  }

  get #isClosing(): boolean {
    return this.#stop.signal.aborted
  }

  async #end(): Promise<void> {
    this.#stop.abort()
    await this.#connecting
    await this.#pumping
    await this.#lastAnswer
    this.#rejectAll(new StoreFault('the store is closed'))
    const connection = this.#connection
    this.#connection = undefined
    await connection?.end()
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
