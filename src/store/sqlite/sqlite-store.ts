/** The durable store: calls of one turn of the loop become one transaction in a thread of its own, and resolve once it is committed. */

import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import { messageOf, StoreFault } from '../../core/fault.ts'
import type { Claim, Lease, NewRun, RunEnd, Store } from '../ports.ts'
import { type Answer, Gathered } from './gathered.ts'
import type { Durability, Step, ThreadStart, Unsettled } from './messages.ts'
import { ThreadLink } from './thread-link.ts'

const maxGathered = 10_000
const maxBatch = 1_000
/** Calls past which waiting for more gains nothing. */
const fullBatch = 64
/** How long a broken store refuses before it is opened again. */
const restartMs = 500

/** Ids of any length and content become short ASCII: what the sender chose never meets SQL's text functions. */
const keyOf = (key: string): string => hash('sha256', key, 'base64url')

type Options = { readonly folder: string; readonly durability: Durability; readonly clock: Clock }
type Start = (start: ThreadStart) => ThreadLink

class SqliteStore implements Store {
  readonly #options: Options
  readonly #start: Start
  #link: ThreadLink
  /** Until when a broken store refuses. */
  #retryAt = 0
  /** Claims of a batch that failed: it may have been committed all the same. */
  #doubtful: readonly Unsettled[] = []
  /** Runs that were taken and are not finished: what is leased besides them was taken by a batch that failed. */
  readonly #held = new Set<number>()
  #marks = 0
  #queue: Gathered[] = []
  #waiting = 0
  #pumping: Promise<void> | undefined
  #closing: Promise<void> | undefined
  backlog: number

  constructor(options: Options, start: Start, link: ThreadLink, backlog: number) {
    this.#options = options
    this.#start = start
    this.#link = link
    this.backlog = backlog
  }

  accept(run: NewRun, claim: Claim): Promise<boolean> {
    return this.#gather((batch, answer: Answer<boolean>) => batch.accept(run, keyOf(claim.key), claim.expiresAt, answer))
  }

  claim(claim: Claim): Promise<boolean> {
    return this.#call({ op: 'claim', key: keyOf(claim.key), expiresAt: claim.expiresAt, mark: ++this.#marks })
  }

  settle(key: string, kept: boolean): Promise<void> {
    return this.#call({ op: 'settle', key: keyOf(key), kept })
  }

  async take(max: number, leaseMs: number): Promise<readonly Lease[]> {
    const leases = await this.#call<readonly Lease[]>({ op: 'take', max, leaseMs })
    for (const { runId } of leases) this.#held.add(runId)
    return leases
  }

  keepReply({ runId, fence }: Lease, reply: string): Promise<boolean> {
    return this.#call({ op: 'keepReply', runId, fence, reply })
  }

  async finish({ runId, fence }: Lease, end: RunEnd): Promise<boolean> {
    const kept = await this.#call<boolean>({ op: 'finish', runId, fence, end })
    if (kept) this.#held.delete(runId)
    return kept
  }

  nextDue(): Promise<number | undefined> {
    return this.#call({ op: 'nextDue' })
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  #call<T>(step: Exclude<Step, { op: 'accept' }>): Promise<T> {
    return this.#gather((batch, answer: Answer<T>) => batch.call(step, answer as Answer<unknown>))
  }

  #gather<T>(add: (batch: Gathered, answer: Answer<T>) => void): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new StoreFault('the store is closed'))
    if (this.#waiting >= maxGathered) return Promise.reject(new StoreFault('too many calls wait for the store'))
    this.#waiting++
    const last = this.#queue.at(-1)
    const batch = last !== undefined && last.size < maxBatch ? last : new Gathered()
    if (batch !== last) this.#queue.push(batch)
    this.#pumping ??= this.#pump()
    return new Promise((resolve, reject) => add(batch, { resolve, reject }))
  }

  /** One batch at a time: while the disk is busy the next ones grow, and so do the gains of committing them together. */
  async #pump(): Promise<void> {
    await nextTurn()
    while (this.#queue.length > 0) {
      await this.#fill()
      const batch = this.#queue.shift() as Gathered
      this.#waiting -= batch.size
      await this.#commit(batch)
      await nextTurn()
    }
    this.#pumping = undefined
  }

  /** Waits while each turn of the loop brings more: under load what arrives together is committed together, a lone call waits one turn. */
  async #fill(): Promise<void> {
    for (let size = 0; this.#waiting > size && size < fullBatch; await nextTurn()) size = this.#waiting
  }

  async #commit(batch: Gathered): Promise<void> {
    try {
      const steps = batch.steps()
      const link = await this.#working()
      this.#doubtful = batch.unsettled()
      const { results, backlog } = await link.ask({ now: this.#now(), steps })
      this.#doubtful = []
      this.backlog = backlog
      batch.resolve(results)
    } catch (thrown) {
      if (this.#now() >= this.#retryAt) this.#retryAt = this.#now() + restartMs
      batch.reject(thrown instanceof StoreFault ? thrown : new StoreFault(messageOf(thrown), { cause: thrown }))
    }
  }

  #now(): number {
    return this.#options.clock.monotonic()
  }

  /** The thread, or a new one where it broke, but not at once: a full disk is not asked again for each request. */
  async #working(): Promise<ThreadLink> {
    if (this.#link.works) return this.#link
    if (this.#now() < this.#retryAt) throw new StoreFault('the store failed and is opened again shortly')
    await this.#link.gone
    const { folder, durability } = this.#options
    this.#link = this.#start({ folder, durability, now: this.#now(), doubtful: this.#doubtful, held: [...this.#held] })
    this.backlog = await this.#link.opened()
    return this.#link
  }

  async #end(): Promise<void> {
    await this.#pumping
    if (this.#link.works) await this.#link.close()
    await this.#link.gone
  }
}

/** Opens the store in a folder that no other process uses. Throws a Fault. */
export const openSqlite = async (options: Options, start: Start = (given) => new ThreadLink(given)): Promise<Store> => {
  const { folder, durability, clock } = options
  const link = start({ folder, durability, now: clock.monotonic() })
  return new SqliteStore(options, start, link, await link.opened())
}
