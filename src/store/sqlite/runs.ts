/** The runs of an open database, dead runs included: takes runs that are due, stores how they end, and lets runs of a lane take turns. */

import { hourMs } from '../../core/clock.ts'
import type { NewRun } from '../../core/new-run.ts'
import type { RunAgain, RunEnd } from '../../core/run-end.ts'
import { Lanes } from '../lanes.ts'
import type { Cancelled, Lease, QueuedLane, StoredStanding } from '../ports.ts'
import type { Erased, ErasedRun } from '../store-part.ts'
import { erasedRun, parseStored, parseText, queuedEventOf } from '../stored.ts'
import { parseLane } from './keys.ts'
import { cancelledMark, type Statements } from './statements.ts'
import { type DueRun, UntriedRuns } from './untried-runs.ts'

/** The number of ids that are reserved at a time. `autoincrement` would write the last id at each commit, in a page of its own. */
const idBlock = 10_000

type RunRow = { readonly fence: number; readonly attempt: number; readonly run: Buffer; readonly reply: Buffer | null }
type StandingRow = [eventId: string, attempt: number, leased: number, dueAt: number | null, endedAt: number | null, error: Buffer | null]

/** Where a page of all runs ends. `next`: the id after which the next page begins; `undefined` on the last page. */
type PageEnd = { readonly next: number | undefined }
export type StandingsPage = PageEnd & { readonly runs: readonly StoredStanding[]; readonly groups: readonly StoredStanding[] }
export type CancelledPage = PageEnd & { readonly result: Cancelled }
export type ErasedPage = PageEnd & Erased

/**
 * Events to erase. `ids`, `groups` and `turns` (hashes of the ids) are JSON lists. `held`: the runs that this process has taken and not
 * finished.
 */
export type EraseLists = { readonly ids: string; readonly groups: string; readonly turns: string; readonly held: readonly number[] }

export class Runs {
  readonly #sql: Statements
  readonly #lanes: Lanes
  readonly #untried: UntriedRuns
  /** The number of runs that are neither done nor dead. */
  size = 0
  /**
   * The id of the last run that was added, and the last reserved id. A later process begins after the reserved id, so no id is used twice.
   */
  #lastAdded = 0
  #lastReserved = 0

  constructor(sql: Statements) {
    this.#sql = sql
    this.#untried = new UntriedRuns(sql)
    this.#lanes = new Lanes((lane, now) => this.#beginNext(lane, now))
  }

  /**
   * Frees the runs that an earlier process had taken. The wall clock may have been set back since then. So a run without attempts is due
   * now, and a run with attempts is due in an hour at most.
   */
  takeOver(now: number): void {
    this.#sql.freeRuns.run([now, now + hourMs])
    this.#sql.capDead.run([now])
  }

  /** Called after a fault in the same process. Frees the leased runs that the process does not hold. */
  release(held: readonly number[], now: number): void {
    this.#sql.freeUnheldRuns.run([now, JSON.stringify(held)])
  }

  /** Returns when the oldest run that is neither done nor dead was accepted: wall time, milliseconds. A damaged run has no such time. */
  oldestAt(): number | undefined {
    return this.#untried.oldestAt()
  }

  /** Returns the lanes in which most runs wait. */
  queuedLanes(max: number): QueuedLane[] {
    const rows = this.#sql.queuedLanes.all([max]) as [lane: Buffer, waiting: number, run: Buffer][]
    return rows.flatMap(([stored, waiting, first]) => {
      const [lane, { run } = {}] = [parseLane(stored), parseStored(first, null)]
      return lane !== undefined && run ? { ...queuedEventOf(run), waiting, ...this.#lanes.count(lane) } : []
    })
  }

  /** Reads the state that this object keeps in memory, and begins waiting runs where their lanes have room. */
  restore(size: number, cursor: number, now: number): void {
    this.size = size
    this.#untried.restore(cursor)
    this.#sql.beginReserving.run()
    const [row] = this.#sql.lastReserved.all() as [number][]
    this.#lastAdded = this.#lastReserved = row?.[0] ?? 0
    for (const [stored, open, limit] of this.#sql.openLanes.all() as [Buffer, number, number][]) {
      const lane = parseLane(stored)
      if (lane !== undefined) this.#lanes.resume(lane, { open, limit }, now)
    }
  }

  /** Begins waiting runs of the lane as far as `limit` allows. Returns whether one more run may begin after these. */
  hasRoom(lane: string, limit: number, now: number): boolean {
    return this.#lanes.hasRoom(lane, limit, now)
  }

  /** Notes that a run or a group has a priority. */
  expectRanked(): void {
    this.#untried.expectRanked()
  }

  /** The id of the run that was added last. */
  get lastId(): number {
    return this.#lastAdded
  }

  /** Adds runs without a lane. */
  addAll(runs: readonly NewRun[]): void {
    if (runs.length > 0) this.#sql.acceptRuns.run([this.#newIds(runs.length), JSON.stringify(runs)])
    if (runs.some(({ priority }) => priority !== undefined)) this.expectRanked()
    this.size += runs.length
  }

  /**
   * Adds a run, which `insert` writes under the id and fence. Returns the run's id when it may begin, `undefined` when it waits for its
   * turn.
   */
  add(lane: string | undefined, limit: number, now: number, insert: (id: number, fence: number) => void): number | undefined {
    const begins = lane === undefined || this.#lanes.enter(lane, limit, now)
    const id = this.#newIds(1)
    insert(id, begins ? 0 : -1)
    this.size++
    return begins ? id : undefined
  }

  /** Returns the first of `count` ids in a row. If SQLite chose the ids, each commit would write the last id, in a page of its own. */
  #newIds(count: number): number {
    const first = this.#lastAdded + 1
    this.#lastAdded += count
    if (this.#lastAdded > this.#lastReserved) {
      this.#lastReserved = this.#lastAdded + idBlock
      this.#sql.reserveUpTo.run([this.#lastReserved])
    }
    return first
  }

  take(max: number, until: number, now: number): Lease[] {
    const tried = this.#sql.dueTried.all([now, max]) as DueRun[]
    const untried = max > tried.length ? this.#untried.next(max - tried.length, now) : []
    return [...tried, ...untried].flatMap((due) => this.lease(due, until, now) ?? [])
  }

  lease([runId, leased]: DueRun, until: number, now: number): Lease | undefined {
    const [row] = this.#sql.lease.all([until, runId]) as RunRow[]
    if (row === undefined) return undefined
    const stored = parseStored(row.run, row.reply)
    if (stored === undefined) {
      // A damaged record must not block the runs after it.
      this.finish(runId, row.fence, { kind: 'dead', error: 'the stored run cannot be read' }, now)
      return undefined
    }
    return { runId: String(runId), fence: row.fence, attempt: row.attempt, interrupted: leased === 1, ...stored }
  }

  /** Lets leases last until `until`. `fences`: a JSON list of `[runId, fence]`. Returns the ids of the runs whose leases last. */
  renew(fences: string, until: number): string[] {
    return (this.#sql.renew.all([fences, until]) as [number][]).map(([id]) => String(id))
  }

  makeDue(fences: string, now: number): void {
    this.#sql.makeDue.run([fences, now])
  }

  /** Stores the reply of a run. `reply`: the text that `replyText` of stored.ts makes. `false`: the lease is lost. */
  keepReply(runId: number, fence: number, reply: string): boolean {
    return this.#sql.keepReply.run([reply, runId, fence]).changes === 1
  }

  finish(runId: number, fence: number, end: RunEnd, now: number): boolean {
    if (end.kind === 'again') return this.#retry(runId, fence, end, now)
    const lane = this.#laneOf(runId)
    const { changes } =
      end.kind === 'dead'
        ? this.#sql.endAsDead.run([now, JSON.stringify(end.error), runId, fence])
        : this.#sql.deleteRun.run([runId, fence])
    if (changes === 0) return false
    this.size--
    if (lane !== undefined) this.#lanes.leave(lane, now)
    return true
  }

  #retry(runId: number, fence: number, { afterMs, error, uncounted }: RunAgain, now: number): boolean {
    return this.#sql.retryRun.run([now + afterMs, JSON.stringify(error), uncounted ? 1 : 0, runId, fence]).changes === 1
  }

  nextDue(now: number): number | undefined {
    if (this.#untried.isFreshWaiting) return now
    const [row] = this.#sql.nextTried.all() as [number][]
    return row?.[0]
  }

  /**
   * Parks the dead run of an event. The run begins at once where its lane allows that, or where it has no lane. Its fence goes up in either
   * case. `false`: the event has no dead run.
   */
  revive(eventId: string, now: number): boolean {
    const [row] = this.#sql.deadRun.all([JSON.stringify([eventId])]) as [number, Buffer | null, number | null][]
    if (row === undefined) return false
    const [runId, stored, limit] = row
    const lane = parseLane(stored)
    this.#sql.parkDead.run([runId])
    this.size++
    if (lane === undefined) this.#sql.unpark.run([now, runId])
    else this.#lanes.resume(lane, { open: 0, limit: limit ?? 1 }, now)
    return true
  }

  /** Cancels the runs of an event in one page of all runs. The page begins after the id `after`. */
  cancel(eventId: string, after: number, now: number): CancelledPage {
    const [end] = this.#sql.pageEnd.all([after]) as [number][]
    const rows = this.#sql.runsToCancel.all([JSON.stringify([eventId]), after, end?.[0] ?? Number.MAX_SAFE_INTEGER]) as CancelRow[]
    const idle = rows.filter(([, , , , isDelivering]) => isDelivering === 0)
    this.#cancelAll(idle, cancelledMark, now)
    return { result: idle.length > 0 ? 'cancelled' : rows.length > 0 ? 'delivering' : 'none', next: end?.[0] }
  }

  /** Returns the unfinished runs with this key up to an id, the oldest first, and at most `max`. */
  toEnd(key: string, upTo: number, max: number): CancelRow[] {
    return this.#sql.runsToEnd.all([key, upTo, max]) as CancelRow[]
  }

  /** Ends runs on behalf of the event `by`. */
  endBy(by: string, rows: readonly CancelRow[], now: number): void {
    this.#cancelAll(rows, `,"endedBy":${JSON.stringify(by)}${cancelledMark}`, now)
  }

  #cancelAll(rows: readonly CancelRow[], mark: string, now: number): void {
    for (const [id] of rows) this.#sql.cancelRun.run([now, mark, id])
    // Given back earlier, a place could go to a run that is cancelled as well.
    for (const [, isParked, stored] of rows) {
      const lane = isParked === 1 ? undefined : parseLane(stored)
      if (lane !== undefined) this.#lanes.leave(lane, now)
    }
  }

  /** Returns the standings of these events' runs in one page of all runs. The page begins after the id `after`. */
  standings(eventIds: string, after: number, now: number): Omit<StandingsPage, 'groups'> {
    const [end] = this.#sql.pageEnd.all([after]) as [number][]
    const rows = this.#sql.runStandings.all([eventIds, after, end?.[0] ?? Number.MAX_SAFE_INTEGER]) as StandingRow[]
    return { runs: rows.map((row) => standingOf(row, now)), next: end?.[0] }
  }

  /**
   * Erases the runs of these events in one page of all runs, but for the runs that are in progress. The page begins after the id `after`.
   */
  erase({ ids, groups, held }: EraseLists, after: number, now: number): ErasedPage {
    const [end] = this.#sql.pageEnd.all([after]) as [number][]
    const rows = this.#sql.runsToErase.all([ids, groups, after, end?.[0] ?? Number.MAX_SAFE_INTEGER]) as EraseRow[]
    const runs: ErasedRun[] = []
    const running: string[] = []
    const left: string[] = []
    for (const [id, fence, attempt, leased, isDead, storedLane, stored] of rows) {
      const { run } = parseStored(stored, null) ?? {}
      // Where nobody holds a leased run, its process has ended.
      if (leased === 1 && held.includes(id)) {
        if (run) running.push(run.eventId)
        continue
      }
      this.#sql.eraseRun.run([id])
      const lane = parseLane(storedLane)
      if (!isDead) this.size--
      if (!isDead && lane !== undefined && fence >= 0) left.push(lane)
      if (run) runs.push(erasedRun(run, isDead ? undefined : attempt))
    }
    // Places in lanes are given back last. Given back earlier, a place could go to a run that this page erases too, because the page had
    // read the run as parked. The lane would then count that run as open for ever.
    for (const lane of left) this.#lanes.leave(lane, now)
    return { runs, running, next: end?.[0] }
  }

  prune(before: number, maxDead: number): number {
    return this.#sql.pruneDead.run([before]).changes + this.#sql.pruneMostDead.run([maxDead]).changes
  }

  /** Returns the lane of a leased run. While no lane is in use, no open run has a lane, and the database is not asked. */
  #laneOf(runId: number): string | undefined {
    const [row] = this.#lanes.areUsed ? (this.#sql.laneOf.all([runId]) as [Buffer | null][]) : []
    return parseLane(row?.[0] ?? null)
  }

  #beginNext(lane: string, now: number): boolean {
    const [row] = this.#sql.firstParked.all([lane]) as [number][]
    return row !== undefined && this.#sql.unpark.run([now, row[0]]).changes === 1
  }
}

/** A run to be cancelled. `lane`: `null` for a run outside of lanes. */
export type CancelRow = [id: number, isParked: number, lane: Buffer | null, eventId: string, isDelivering?: number]
type EraseRow = [id: number, fence: number, attempt: number, leased: number, isDead: number, lane: Buffer | null, run: Buffer]

const standingOf = ([eventId, attempt, leased, dueAt, endedAt, stored]: StandingRow, now: number): StoredStanding => {
  const state = endedAt !== null ? 'dead' : leased === 1 ? 'running' : 'waiting'
  const error = parseText(stored)
  return {
    eventId,
    state,
    attempt,
    ...(state === 'waiting' && dueAt !== null && (attempt > 0 || dueAt > now) ? { dueInMs: dueAt - now } : {}),
    ...(error === undefined ? {} : { error }),
  }
}
