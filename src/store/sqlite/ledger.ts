/**
 * The content of an open database, for the steps of calls, which run synchronously. The steps of a batch are one transaction. The code that
 * runs at each commit fills its lists by `push`, not by `map`: a compiled `map` returns a list of another internal kind, and V8 throws away
 * the code that was compiled to read the list.
 */

import type Database from 'libsql'
import type { NewRun } from '../../core/new-run.ts'
import { isEventId, maxEnded, maxGroupsPerTake } from '../bounds.ts'
import type { Accepted, Claim, Ended, Ending, Joined, Lane, Lease, StoreTotals } from '../ports.ts'
import { Claims, type Unsettled } from './claims.ts'
import { type DueGroup, Groups, type JoiningEvent } from './groups.ts'
import { parseLane } from './keys.ts'
import { Positions } from './positions.ts'
import { type CancelledPage, type ErasedPage, type EraseLists, Runs, type StandingsPage } from './runs.ts'
import { Sessions } from './sessions.ts'
import { type Statements, statementsOf } from './statements.ts'
import { Sums } from './sums.ts'

/**
 * What one call does with the content, at the time of its batch. Its result is the call's answer once the batch is committed. What may throw
 * for the caller's values is done before: a step that throws fails its whole batch.
 */
export type LedgerStep<T = unknown> = (ledger: Ledger, now: number) => T

/** A run with the claim of its event, whose keys are hashed. */
export type Accept = Claim & { readonly run: NewRun }

/**
 * What a failed batch may have done. `doubtful`: the claims that wait to be settled. `held`: the runs that this process has taken and not
 * finished; the batch may have taken others.
 */
export type AfterFault = { readonly doubtful: readonly Unsettled[]; readonly held: readonly number[] }

/**
 * Runs batches of calls, each as one transaction. After `run` has thrown, the ledger must not be used: the transaction is rolled back, but
 * the state that the ledger keeps in memory is not. The ledger has no clock of its own, so a ledger that replaces it goes by the same
 * clock.
 */
export class Ledger {
  readonly #sql: Statements
  readonly claims: Claims
  readonly runs: Runs
  readonly groups: Groups
  readonly positions: Positions
  readonly sessions: Sessions
  readonly sums: Sums

  /** `fault`: present where the ledger replaces a failed one, and absent at the start of a process. */
  constructor(db: Database.Database, now: number, fault?: AfterFault) {
    this.#sql = statementsOf(db)
    this.claims = new Claims(this.#sql)
    this.runs = new Runs(this.#sql)
    this.groups = new Groups(this.#sql)
    this.positions = new Positions(this.#sql)
    this.sessions = new Sessions(this.#sql)
    this.sums = new Sums(this.#sql)
    this.#sql.begin.run([])
    this.#release(now, fault)
    const [counts] = this.#sql.openCounts.all() as [runs: number, groups: number, cursor: number][]
    const [runs, groups, cursor] = counts ?? [0, 0, 0]
    this.groups.restore(groups)
    this.runs.restore(runs, cursor, now)
    this.claims.restore(now)
    this.#sql.commit.run([])
  }

  /** The number of groups plus the number of runs that are neither done nor dead. */
  get backlog(): number {
    return this.runs.size + this.groups.size
  }

  /** Runs the steps of a batch as one transaction. Returns the results of the steps, in order. */
  run(steps: readonly LedgerStep[], now: number): readonly unknown[] {
    this.#sql.begin.run([])
    const results: unknown[] = []
    for (const step of steps) results.push(step(this, now))
    this.claims.store()
    this.claims.prune(now)
    this.#sql.commit.run([])
    return results
  }

  /**
   * Frees claims and runs that nobody holds. At the start of a process, these are all unsettled claims and all leased runs. Times that are
   * too far ahead are then brought down, too, because the wall clock may have been set back. After a fault in the same process, only the
   * claims and runs are freed that the failed batch may have taken.
   */
  #release(now: number, fault: AfterFault | undefined): void {
    if (fault === undefined) {
      for (const table of [this.claims, this.runs, this.groups, this.sessions, this.sums]) table.takeOver(now)
    } else {
      this.claims.release(fault.doubtful)
      this.runs.release(fault.held, now)
    }
  }

  /** Accepts runs without a lane. */
  accept(accepts: readonly Accept[], now: number): Accepted[] {
    const results: Accepted[] = []
    const runs: NewRun[] = []
    for (const accept of accepts) {
      const { key, holdMs, run, beside } = accept
      const held = beside ? this.claims.claimBoth(accept, 0, now) : this.claims.claimRun(key, holdMs, now) ? undefined : 'duplicate'
      results.push(held ?? 'accepted')
      if (!held) runs.push(run)
    }
    this.runs.addAll(runs)
    return results
  }

  /** Accepts a run in a lane. `text`: the run as JSON. The key of the lane is hashed. */
  acceptInLane(accept: Accept, text: string, lane: Lane, now: number): Accepted {
    // The answer to a repeat does not depend on the lane, so a repeat changes no limit.
    const mayBeBusy = lane.whenFull === 'refuse' && !this.#isRepeated(accept, now)
    if (mayBeBusy && !this.runs.hasRoom(lane.key, lane.limit, now) && !this.claims.isHeld(accept.key, now)) return 'busy'
    const held = this.claims.claimBoth(accept, 0, now)
    if (held) return held
    this.#expectRank(accept.run)
    this.runs.add(lane.key, lane.limit, now, (id, fence) => this.#sql.acceptInLane.run([id, fence, lane.key, lane.limit, text]))
    return 'accepted'
  }

  join(accept: Accept, joining: JoiningEvent, now: number): Joined {
    if (!this.groups.hasRoom(joining.group) && !this.#isKnown(accept, now)) return 'full'
    const held = this.claims.claimBoth(accept, 0, now)
    return held ?? this.#joinGroup(accept, joining, now)
  }

  /** As `join`, for a group with `afterClaim`. `acceptAtOnce`: the step for an event that makes the claim beside that of its id. */
  joinAfter(accept: Accept, joining: JoiningEvent, acceptAtOnce: LedgerStep<Accepted>, now: number): Accepted | Joined {
    const { key, holdMs, beside } = accept
    const windowMs = beside ? this.claims.leftMs(beside.key, now) : 0
    if (!beside || windowMs === 0) return acceptAtOnce(this, now)
    if (!this.groups.hasRoom(joining.group) && !this.claims.isHeld(key, now)) return 'full'
    if (!this.claims.claim(key, holdMs, 0, now)) return 'duplicate'
    return this.#joinGroup(accept, { ...joining, windowMs, maxWaitMs: beside.holdMs }, now)
  }

  /** Adds an event to its group, and makes a run of a group that has as many events as it may. */
  #joinGroup({ run }: Accept, joining: JoiningEvent, now: number): Joined {
    this.#expectRank(run)
    const { id, joined } = this.groups.join(joining, now)
    const { lane, limit, maxEvents = Infinity } = joining
    if (joined.count >= maxEvents) this.#endGroup(id, lane ?? undefined, limit, now)
    return joined
  }

  /** Whether the claim beside that of an event's id is held. */
  #isRepeated({ beside }: Claim, now: number): boolean {
    return beside !== undefined && this.claims.isHeld(beside.key, now)
  }

  /** Whether the id of an event, or the claim beside it, is held. */
  #isKnown(claim: Claim, now: number): boolean {
    return this.claims.isHeld(claim.key, now) || this.#isRepeated(claim, now)
  }

  #expectRank({ priority }: NewRun): void {
    if (priority !== undefined) this.runs.expectRanked()
  }

  take(max: number, leaseMs: number, now: number): Lease[] {
    for (const group of this.groups.due(now, maxGroupsPerTake)) this.#endDue(group, now)
    return this.runs.take(max, now + leaseMs, now)
  }

  /** Turns groups into runs until `max` runs are taken, or no group is left. A run that must wait for its turn is made, but not taken. */
  takeGroups(max: number, leaseMs: number, now: number): Lease[] {
    const leases: Lease[] = []
    while (leases.length < max) {
      const groups = this.groups.due(Number.MAX_VALUE, max - leases.length)
      if (groups.length === 0) break
      for (const group of groups) {
        const runId = this.#endDue(group, now)
        const lease = runId === undefined ? undefined : this.runs.lease([runId, 0], now + leaseMs, now)
        if (lease !== undefined) leases.push(lease)
      }
    }
    return leases
  }

  /** Turns a group into a run. Returns the run's id when it may begin, `undefined` when it waits for its turn. */
  #endGroup(groupId: number, lane: string | undefined, limit: number | null, now: number): number | undefined {
    return this.runs.add(lane, limit ?? 1, now, (id, fence) => this.groups.end(groupId, id, fence))
  }

  #endDue([groupId, lane, limit]: DueGroup, now: number): number | undefined {
    return this.#endGroup(groupId, parseLane(lane), limit, now)
  }

  dueInMs(now: number): number | undefined {
    const due = [this.runs.nextDue(now), this.groups.nextDue()].filter((at) => at !== undefined)
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due) - now)
  }

  /** Counts what the store has. `wallNow`: the wall time. */
  totals(wallNow: number): StoreTotals {
    const [counts] = this.#sql.otherTotals.all() as [parked: number, dead: number, sessions: number][]
    const [inLanes, dead, sessions] = counts ?? [0, 0, 0]
    const oldestAt = this.runs.oldestAt()
    const oldest = oldestAt === undefined ? {} : { oldestMs: wallNow - oldestAt }
    return { runs: this.runs.size, inLanes, groups: this.groups.size, dead, sessions, ...oldest }
  }

  /** Cancels in a page of the runs, which begins after the id `after`. A group becomes a run with the first page. */
  cancel(eventId: string, after: number, now: number): CancelledPage {
    for (const group of after === 0 ? this.groups.toCancel(eventId) : []) this.#endDue(group, now)
    return this.runs.cancel(eventId, after, now)
  }

  /**
   * Ends earlier work after its event was taken. `upTo`: the id of the last run before. `joined`: the hashed key of the group that the event
   * has joined; empty where it joined none. A group becomes a run outside of its lane: it is only to be recorded.
   */
  endWork({ key, by }: Ending, upTo: number, joined: string, now: number): Omit<Ended<unknown>, 'taken'> {
    const [runs, groups] = [this.runs.toEnd(key, upTo, maxEnded + 1), this.groups.toEnd(key, joined)]
    const rows = runs.slice(0, maxEnded)
    for (const [groupId, eventId] of groups.slice(0, maxEnded - rows.length)) {
      const runId = this.#endGroup(groupId, undefined, null, now)
      if (runId !== undefined) rows.push([runId, 0, null, eventId])
    }
    this.runs.endBy(by, rows, now)
    return { ended: rows.map(([, , , eventId]) => eventId), isMore: rows.length < runs.length + groups.length }
  }

  /** Returns the states of events in a page of the runs, which begins after the id `after`. The groups come with the first page. */
  standings(eventIds: readonly string[], after: number, now: number): StandingsPage {
    const wanted = JSON.stringify(eventIds.filter(isEventId))
    return { ...this.runs.standings(wanted, after, now), groups: after === 0 ? this.groups.standings(wanted, now) : [] }
  }

  /** Erases in a page of the runs, which begins after the id `after`. Groups and messages are erased with the first page. */
  erase(lists: EraseLists, after: number, now: number): ErasedPage {
    const isFirst = after === 0
    if (isFirst) this.sessions.erase(lists.turns)
    const groups = isFirst ? this.groups.erase(lists.ids, lists.groups) : []
    const page = this.runs.erase(lists, after, now)
    return { ...page, runs: [...groups, ...page.runs] }
  }
}
