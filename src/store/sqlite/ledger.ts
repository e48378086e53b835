/** The synchronous statements over an open database: a batch is one transaction. It knows no thread. */

import type Database from 'libsql'
import type { Lease, RunEnd } from '../ports.ts'
import type { Batch, Step, ThreadStart } from './messages.ts'
import { type Statements, statementsOf } from './statements.ts'
import { parseStored } from './stored.ts'

const hourMs = 3_600_000
/** How many claims are made between two looks for expired ones. */
const pruneEvery = 256

type StepOf<Op extends Step['op']> = Extract<Step, { op: Op }>
/** A run's id, and whether it is still leased to one who never finished. */
type Due = [runId: number, leased: number]
type Row = { readonly fence: number; readonly attempt: number; readonly run: Buffer; readonly reply: Buffer | null }

/** After `run` has thrown, the database must be closed: what this holds in memory is ahead of it. */
export class Ledger {
  readonly #db: Database.Database
  readonly #sql: Statements
  /** Runs that are neither done nor dead. */
  backlog: number
  /** Every run up to this one was taken before; all later ones never were. */
  #cursor: number
  #pruneFrom = ''
  #unpruned = 0

  constructor(db: Database.Database, start: ThreadStart) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#release(start)
    const [standing] = this.#sql.standing.all() as [backlog: number, cursor: number | null][]
    this.backlog = standing?.[0] ?? 0
    this.#cursor = standing?.[1] ?? 0
  }

  /** One result for each step, committed. */
  run(batch: Batch): unknown[] {
    this.#sql.begin.run()
    const results = batch.steps.map((step) => this.#step(step, batch.now))
    if (this.#unpruned >= pruneEvery) this.#prune(batch.now)
    this.#sql.commit.run()
    return results
  }

  close(): void {
    this.#db.close()
  }

  /** A new process is the only owner: what an earlier one was doing is free again. In the same process only what is in doubt is. */
  #release({ now, doubtful, held = [] }: ThreadStart): void {
    this.#sql.begin.run()
    if (doubtful === undefined) {
      this.#sql.releaseAllClaims.run()
      // A wall clock that was set back must not hold an id, or a run, for longer than it could have been held.
      this.#sql.capClaims.run(now + hourMs, now + hourMs)
      this.#sql.freeRuns.run(now + hourMs, now + hourMs)
    } else {
      for (const { key, mark } of doubtful) this.#sql.releaseClaim.run(key, mark)
      this.#sql.freeUnheldRuns.run(now, JSON.stringify(held))
    }
    this.#sql.commit.run()
  }

  #step(step: Step, now: number): unknown {
    switch (step.op) {
      case 'accept':
        return this.#accept(step, now)
      case 'claim':
        this.#unpruned++
        return this.#sql.claim.run(step.key, step.expiresAt, step.mark, now).changes === 1
      case 'settle':
        return void (step.kept ? this.#sql.keepClaim : this.#sql.dropClaim).run(step.key)
      case 'take':
        return this.#take(step, now)
      case 'keepReply':
        return this.#sql.keepReply.run(JSON.stringify(step.reply), step.runId, step.fence).changes === 1
      case 'finish':
        return this.#finish(step.runId, step.fence, step.end)
      case 'nextDue':
        return this.#nextDue(now)
    }
  }

  /** `true` when every row got its id, else which did. Of two rows with one id the first does. */
  #accept({ count, claims, runs }: StepOf<'accept'>, now: number): true | boolean[] {
    this.#unpruned += count
    const got = this.#sql.acceptClaims.all(claims, now) as [number][]
    this.backlog += got.length
    if (got.length === count) {
      this.#sql.acceptRuns.run(runs)
      return true
    }
    const accepted = new Array<boolean>(count).fill(false)
    for (const [mark] of got) accepted[-mark] = true
    this.#sql.acceptSomeRuns.run(runs, JSON.stringify(got.map(([mark]) => -mark)))
    return accepted
  }

  #take({ max, leaseMs }: StepOf<'take'>, now: number): Lease[] {
    const tried = this.#sql.dueTried.all(now, max) as Due[]
    const fresh = tried.length < max ? (this.#sql.fresh.all(this.#cursor, max - tried.length) as Due[]) : []
    this.#cursor = fresh.at(-1)?.[0] ?? this.#cursor
    return [...tried, ...fresh].flatMap((due) => this.#lease(due, now + leaseMs) ?? [])
  }

  #lease([runId, leased]: Due, until: number): Lease | undefined {
    const [row] = this.#sql.lease.all(until, runId) as Row[]
    if (row === undefined) return undefined
    const stored = parseStored(row.run, row.reply)
    if (stored === undefined) {
      // One damaged record must not stand in the way of the others.
      this.#finish(runId, row.fence, { kind: 'dead', error: 'the stored run cannot be read' })
      return undefined
    }
    return { runId, fence: row.fence, attempt: row.attempt, interrupted: leased === 1, ...stored }
  }

  #finish(runId: number, fence: number, end: RunEnd): boolean {
    if (end.kind === 'done') return this.#left(this.#sql.deleteRun.run(runId, fence).changes)
    if (end.kind === 'dead') return this.#left(this.#sql.endLease.run(null, end.error, runId, fence).changes)
    return this.#sql.endLease.run(end.at, end.error, runId, fence).changes === 1
  }

  #left(changes: number): boolean {
    this.backlog -= changes
    return changes === 1
  }

  #nextDue(now: number): number | undefined {
    if (this.#sql.fresh.all(this.#cursor, 1).length > 0) return now
    const [row] = this.#sql.nextTried.all() as [number][]
    return row?.[0]
  }

  /** Walks on past twice as many claims as were made: the file stays bounded without an index on their expiry. */
  #prune(now: number): void {
    const [row] = this.#sql.pruneUpTo.all(this.#pruneFrom, 2 * this.#unpruned) as [string][]
    this.#unpruned = 0
    // '~' sorts after every key.
    this.#sql.prune.run(this.#pruneFrom, row?.[0] ?? '~', now)
    this.#pruneFrom = row?.[0] ?? ''
  }
}
