/**
 * The requests that a relay keeps, in a database of its own. A request is kept once its commit is on the disk. Its number is never used
 * again, so that with the name of the relay it names the request for good.
 */

import { randomBytes } from 'node:crypto'
import type Database from 'libsql'
import type { ItemHead } from '../wire/messages.ts'
import { CommitQueue } from './commit-queue.ts'
import { ledgerFile, statements } from './ledger-tables.ts'

/** The most rows of the table `ended`. The counts of ended requests also have the requests whose rows were deleted. */
const maxEnded = 10_000
/** The most lanes of a gateway with counts of their own: behind `*`, strangers choose the names of lanes. The others are counted as `*`. */
const maxCountedLanes = 1_000
/** The most requests that expire in one commit. */
const maxExpired = 500

/** A lane: the requests of one route of a gateway, in their order. */
export type LaneName = { readonly gateway: string; readonly lane: string }

export type NewItem = {
  readonly gateway: string
  readonly client: string
  readonly head: Omit<ItemHead, 'id'>
  readonly body: Buffer
}

/** A kept request, without its content. */
export type ItemFacts = LaneName & {
  readonly id: number
  readonly client: string
  readonly bytes: number
  readonly at: number
}
export type KeptItem = ItemFacts & { readonly head: Omit<ItemHead, 'id'>; readonly body: Buffer }

/** What is counted of a lane: requests that were kept, that a gateway took or refused, that expired, and that found no room. */
export type Counted = 'kept' | 'taken' | 'refused' | 'expired' | 'full'
export type Count = LaneName & { readonly what: Counted; readonly number: number }

/** Why a request ended without being taken: its time was over, or the gateway answered with this status. */
export type DroppedItem = ItemFacts & { readonly why: 'expired' | `refused ${number}` }
export type EndedRecord = Omit<DroppedItem, 'client'> & { readonly endedAt: number }

/** Returns the bytes by which a request counts towards the limits of its lane. */
export const bytesOf = ({ head, body }: Pick<NewItem, 'head' | 'body'>): number =>
  body.length + head.target.length + head.url.length + head.headers.reduce((sum, text) => sum + text.length, 0)

export class RelayLedger {
  readonly name: string
  readonly #commits: CommitQueue
  /** The lanes with counts of their own, by gateway. */
  readonly #counted = new Map<string, Set<string>>()
  /** Whether the write-ahead log may still have requests that have ended. That of an earlier process may have some. */
  #hasEnded = true

  private constructor(commits: CommitQueue, name: string) {
    this.#commits = commits
    this.name = name
    for (const { gateway, lane } of this.counts()) this.#countedLane(gateway, lane)
  }

  /** Opens the database in a folder, or makes it. Throws a Fault. */
  static async open(folder: string): Promise<RelayLedger> {
    const commits = new CommitQueue(folder, ledgerFile)
    const name = await commits.run((db) => {
      const [row] = db.prepare('select name from relay').all() as { name: string }[]
      if (row) return row.name
      const made = randomBytes(9).toString('base64url')
      db.prepare('insert into relay (name) values (?)').run([made])
      return made
    })
    return new RelayLedger(commits, name)
  }

  /** Keeps a request, and resolves to its number once it is on the disk. Rejects with a StoreFault. */
  keep(item: NewItem): Promise<number> {
    const { gateway, client, head, body } = item
    const { lane, at } = head
    const text = JSON.stringify(head)
    return this.#commits.run((db) => {
      const { lastInsertRowid } = this.#statement(db, 'keep').run([gateway, lane, client, at, bytesOf(item), text, body])
      this.#count(db, { gateway, lane, what: 'kept', number: 1 })
      return Number(lastInsertRowid)
    }, bytesOf(item))
  }

  /**
   * Forgets requests, and records those that the gateway refused. `ended`: the status of each by its number. Resolves to the requests that
   * were there.
   */
  end(gateway: string, ended: ReadonlyMap<number, number>, now: number): Promise<readonly ItemFacts[]> {
    return this.#commits.run((db) => {
      const found: ItemFacts[] = []
      for (const [id, status] of ended) {
        const [facts] = this.#statement(db, 'facts').all([id, gateway]) as ItemFacts[]
        if (!facts) continue
        found.push(facts)
        if (status < 400) this.#count(db, { ...facts, what: 'taken', number: 1 })
        else this.#record(db, { ...facts, why: `refused ${status}` }, 'refused', now)
        this.#forget(db, id)
      }
      return found
    })
  }

  /**
   * Forgets requests of a lane that came before `before`, at most `maxExpired`, and records that they expired. Resolves to these requests.
   */
  expire({ gateway, lane }: LaneName, before: number, now: number): Promise<readonly ItemFacts[]> {
    return this.#commits.run((db) => {
      const old = this.#statement(db, 'old').all([gateway, lane, before, maxExpired]) as ItemFacts[]
      for (const facts of old) {
        this.#record(db, { ...facts, why: 'expired' }, 'expired', now)
        this.#forget(db, facts.id)
      }
      return old
    })
  }

  /**
   * Removes requests that have ended since the last call from the write-ahead log. In the database file itself they are overwritten at
   * once.
   */
  forgetEnded(): void {
    if (this.#hasEnded) this.#commits.dropLog()
    this.#hasEnded = false
  }

  /** Adds to the counts of lanes. */
  count(counts: readonly Count[]): Promise<void> {
    return this.#commits.run((db) => {
      for (const count of counts) this.#count(db, count)
    })
  }

  /** Returns requests of a lane with numbers above `after` and at most `upTo`, in their order: at most `max`, and the first in any case. */
  next({ gateway, lane }: LaneName, { after, upTo, max, maxBytes }: ItemRange): readonly KeptItem[] {
    const { db } = this.#commits
    let left = maxBytes
    const ids: number[] = []
    for (const { id, bytes } of this.#statement(db, 'next').all([gateway, lane, after, upTo, max]) as ItemFacts[]) {
      left -= bytes
      if (left < 0 && ids.length > 0) break
      ids.push(id)
    }
    return ids.map((id) => {
      const [row] = this.#statement(db, 'whole').all([id]) as (ItemFacts & { head: string; body: Buffer })[]
      if (!row) throw new Error('a kept request is gone')
      return { ...row, head: JSON.parse(row.head), body: Buffer.from(row.body) }
    })
  }

  /**
   * Calls `take` with each kept request, in the order of their numbers, without their content. Called only at the start, because the whole
   * table is read.
   */
  each(take: (facts: ItemFacts) => void): void {
    for (const facts of this.#statement(this.#commits.db, 'each').iterate([])) take(facts as ItemFacts)
  }

  /** Returns when the oldest request of a lane came; `undefined` where the lane has none. */
  oldestAt({ gateway, lane }: LaneName): number | undefined {
    const [row] = this.#statement(this.#commits.db, 'next').all([gateway, lane, 0, Number.MAX_SAFE_INTEGER, 1]) as ItemFacts[]
    return row?.at
  }

  /** Returns when the oldest request of a gateway came; `undefined` where nothing is kept for it. */
  oldestOf(gateway: string): number | undefined {
    const [row] = this.#statement(this.#commits.db, 'oldest').all([gateway]) as { at: number }[]
    return row?.at
  }

  /** Returns the counts of all lanes. The lane `*` has those of lanes past the first thousand. */
  counts(): readonly Count[] {
    return this.#statement(this.#commits.db, 'counts').all([]) as Count[]
  }

  /** Returns the latest records of requests of a gateway that ended without being taken. */
  ended(gateway: string, max: number): readonly EndedRecord[] {
    return this.#statement(this.#commits.db, 'ended').all([gateway, max]) as EndedRecord[]
  }

  close(): Promise<void> {
    return this.#commits.close()
  }

  readonly #prepared = new Map<keyof typeof statements, Database.Statement>()

  #statement(db: Database.Database, name: keyof typeof statements): Database.Statement {
    const prepared = this.#prepared.get(name) ?? db.prepare(statements[name])
    this.#prepared.set(name, prepared)
    return prepared
  }

  #forget(db: Database.Database, id: number): void {
    this.#statement(db, 'forget').run([id])
    this.#hasEnded = true
  }

  #count(db: Database.Database, { gateway, lane, what, number }: Count): void {
    this.#statement(db, 'count').run([gateway, this.#countedLane(gateway, lane), what, number])
  }

  /** Returns the name under which a lane is counted. */
  #countedLane(gateway: string, lane: string): string {
    const lanes = this.#counted.get(gateway) ?? new Set()
    this.#counted.set(gateway, lanes)
    if (lanes.size < maxCountedLanes) lanes.add(lane)
    return lanes.has(lane) ? lane : '*'
  }

  #record(db: Database.Database, { id, gateway, lane, at, bytes, why }: DroppedItem, what: Counted, now: number): void {
    this.#statement(db, 'record').run([id, gateway, lane, at, now, bytes, why])
    this.#statement(db, 'bound').run([maxEnded])
    this.#count(db, { gateway, lane, what, number: 1 })
  }
}

/** Which requests of a lane to return. `maxBytes`: the most bytes of all of them. */
export type ItemRange = { readonly after: number; readonly upTo: number; readonly max: number; readonly maxBytes: number }
