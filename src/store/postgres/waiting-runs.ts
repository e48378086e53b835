/**
 * The runs that wait for a worker, as this process sees them. The process takes runs as it accepts them while its worker can begin more
 * runs, and asks the database for due runs only when some may be due.
 */

import type { Clock } from '../../core/clock.ts'
import type { NewRun } from '../../core/new-run.ts'
import type { RunEnd } from '../../core/run-end.ts'
import type { Accepted, Cancelled, GivenBack, Lane, Lease } from '../ports.ts'
import { endAsDead, endAttempt } from './attempt-ends.ts'
import { dueKind } from './backlog.ts'
import type { ClaimFields } from './calls/claim-calls.ts'
import { acceptInLaneKind, reviveKind } from './calls/lane-calls.ts'
import {
  cancelKind,
  endGroupsKind,
  failedKind,
  makeDueKind,
  type TakeCall,
  type TakenRun,
  takeGroupsKind,
  takeKind,
} from './calls/run-calls.ts'
import { keyOf } from './keys.ts'
import type { Links } from './links.ts'
import { TakenAhead } from './taken-ahead.ts'

/** Returns about a second: other processes may bring work at any time. The random part spreads the times of several processes. */
const pollEverySecond = (): number => 750 + 500 * Math.random()

export class WaitingRuns {
  readonly #links: Links
  readonly #clock: Clock
  readonly #pollEveryMs: () => number
  readonly #ahead: TakenAhead

  /** `pollEveryMs`: the time after which it is worth asking again, because other processes add work too. */
  constructor(links: Links, clock: Clock, pollEveryMs = pollEverySecond) {
    this.#links = links
    this.#clock = clock
    this.#pollEveryMs = pollEveryMs
    this.#ahead = new TakenAhead(clock)
  }

  /** Accepts a run without a lane, and takes it at once where the worker can begin more runs. */
  async enqueue(run: NewRun, claim: ClaimFields): Promise<Accepted> {
    const { claims, claimKind, due, taken } = this.#links
    const [leaseMs, since] = [this.#ahead.reserve(), this.#clock.monotonic()]
    let lease: Lease | undefined
    try {
      const answer = await claims.call(claimKind, { ...claim, eventId: run.eventId, leaseMs })
      if (typeof answer === 'object') {
        lease = { runId: answer.runId, fence: 1, attempt: 1, interrupted: false, run }
        taken.set(answer.runId, { runId: answer.runId, fence: 1, isInLane: false, lease })
      } else if (answer === 'claimed') due.changed()
      return answer === 'duplicate' ? answer : 'accepted'
    } finally {
      if (leaseMs > 0) this.#ahead.end(since, lease)
    }
  }

  /** Accepts a run in a lane. This may make a parked run of the lane due, which may have been accepted long ago. */
  async acceptInLane(claim: ClaimFields, { key, limit, whenFull }: Lane): Promise<Accepted> {
    const { claims, due } = this.#links
    const accepted = await claims.call(acceptInLaneKind, { ...claim, lane: keyOf(key), limit, refuses: whenFull === 'refuse' })
    due.changed({ isOldRun: true })
    return accepted
  }

  /** As `Store.take`. */
  async take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]> {
    if (only === 'groups') return this.#leasesOf(await this.#links.work.call(takeGroupsKind, this.#takeCall(max, leaseMs)))
    if (max === 0) return this.#takeNone(leaseMs)
    await this.#putBack(this.#ahead.expired())
    const ahead = this.#ahead.give(max)
    const wanted = max - ahead.length
    this.#ahead.allow(0, leaseMs)
    try {
      const runs = wanted > 0 && this.#links.due.quietMs === 0 ? await this.#takeDue(wanted, leaseMs) : []
      this.#ahead.allow(wanted - runs.length, leaseMs)
      return [...ahead, ...(await this.#leasesOf(runs))]
    } catch (error) {
      // The runs that were taken ahead go to the worker although the call has failed.
      if (ahead.length > 0) return ahead
      throw error
    }
  }

  /** As `Store.finish`. */
  async end(lease: Lease, end: RunEnd): Promise<boolean> {
    const { taken, due } = this.#links
    const run = taken.get(lease.runId)
    const isEnded = await endAttempt(this.#links, lease, end)
    // The end may make the next run of the lane due, which may have been accepted long ago.
    const mayBeInLane = run?.isInLane !== false
    if (end.kind === 'again' || mayBeInLane) due.changed({ isOldRun: mayBeInLane })
    // `false` is final too: an earlier call that seemed to fail may have been committed.
    if (taken.get(lease.runId)?.fence === lease.fence) taken.delete(lease.runId)
    return isEnded
  }

  /** As `Store.revive`. */
  async revive(eventId: string): Promise<boolean> {
    const isRevived = await this.#links.work.call(reviveKind, eventId)
    this.#links.due.changed({ isOldRun: true })
    return isRevived
  }

  /** As `Store.cancel`. */
  async cancel(eventId: string): Promise<Cancelled> {
    await this.putBackAll()
    const cancelled = await this.#links.work.call(cancelKind, eventId)
    this.#links.due.changed({ isOldRun: true })
    return cancelled
  }

  /** As `Store.makeDue`. */
  async makeDue(leases: readonly GivenBack[]): Promise<void> {
    await this.#links.work.call(makeDueKind, leases)
    this.#links.due.changed({ isOldRun: true })
  }

  /** As `Store.dueInMs`. */
  async dueInMs(): Promise<number> {
    const { due, work } = this.#links
    if (due.quietMs > 0) return due.quietMs
    const pollInMs = this.#pollEveryMs()
    const ms = Math.min(pollInMs, (await work.call(dueKind, due.bounds)) ?? pollInMs)
    due.quietFor(ms)
    return ms
  }

  /** Puts back the runs that were taken ahead and that no worker has asked for. */
  putBackAll(): Promise<void> {
    return this.#putBack(this.#ahead.give())
  }

  /** Puts back the runs that were taken ahead, and takes no run ahead until the next call. Groups that are due become runs all the same. */
  async #takeNone(leaseMs: number): Promise<readonly Lease[]> {
    this.#ahead.allow(0, leaseMs)
    await this.putBackAll()
    await this.#links.work.call(endGroupsKind, undefined)
    this.#links.due.changed()
    return []
  }

  #takeCall(max: number, leaseMs: number): TakeCall {
    return { max, leaseMs, owner: this.#links.marks.owner }
  }

  async #takeDue(max: number, leaseMs: number): Promise<readonly TakenRun[]> {
    const { work, due } = this.#links
    const poll = due.beginPoll()
    // Both calls are sent together. Where the call for groups fails, other runs are still taken.
    const [groups, taken] = await Promise.allSettled([
      work.call(endGroupsKind, undefined),
      work.call(takeKind, { ...this.#takeCall(max, leaseMs), bounds: poll.bounds }),
    ])
    if (taken.status === 'rejected') throw taken.reason
    const { runs, bounds } = taken.value
    if (groups.status === 'rejected' && runs.length === 0) throw groups.reason
    poll.end(runs.length === max || groups.status === 'rejected', bounds)
    return runs
  }

  /** Remembers taken runs, and returns their leases. Runs that cannot be read are ended as dead. */
  async #leasesOf(runs: readonly TakenRun[]): Promise<readonly Lease[]> {
    for (const run of runs) this.#links.taken.set(run.runId, run)
    await Promise.all(runs.filter(({ lease }) => lease === undefined).map((run) => endAsDead(this.#links, run)))
    return runs.flatMap(({ lease }) => lease ?? [])
  }

  /** Puts back runs at which no attempt was made. Where the database fails, the runs wait for the end of their leases. */
  async #putBack(leases: readonly Lease[]): Promise<void> {
    const { work, taken, due } = this.#links
    if (leases.length === 0) return
    const call = { afterMs: 0, error: '', isUncounted: true }
    await Promise.allSettled(leases.map(({ runId, fence }) => work.call(failedKind, { ...call, runId, fence })))
    for (const { runId } of leases) taken.delete(runId)
    due.changed()
  }
}
