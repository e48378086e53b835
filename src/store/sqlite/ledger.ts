/**
 * Runs steps on an open database, synchronously. A batch of steps is one transaction. The code that runs at each commit fills its lists by
 * `push`, not by `map`: a compiled `map` returns a list of another internal kind, and V8 throws away the code that was compiled to read the
 * list.
 */

import type Database from 'libsql'
import type { NewRun } from '../../core/new-run.ts'
import { isEventId, maxGroupsPerTake } from '../bounds.ts'
import type { Accepted, Joined, Lease, Queues, WorkAnswer } from '../ports.ts'
import { Claims } from './claims.ts'
import { type DueGroup, Groups } from './groups.ts'
import { Plans } from './plans.ts'
import { Runs } from './runs.ts'
import { Sessions } from './sessions.ts'
import { type Statements, statementsOf } from './statements.ts'
import type {
  AcceptStep,
  BatchResult,
  CancelledPage,
  ErasedPage,
  LedgerStart,
  LedgerStep,
  LedgerTotals,
  StandingsPage,
  StepBatch,
} from './steps.ts'
import { parseLane } from './stored.ts'
import { Sums } from './sums.ts'

type StepOf<Op extends LedgerStep['op']> = Extract<LedgerStep, { op: Op }>

/**
 * After `run` has thrown, the ledger must not be used: the transaction is rolled back, but the state that the ledger keeps in memory is
 * not.
 */
export class Ledger {
  readonly #db: Database.Database
  readonly #sql: Statements
  readonly #claims: Claims
  readonly #runs: Runs
  readonly #groups: Groups
  readonly #plans: Plans
  readonly #sessions: Sessions
  readonly #sums: Sums

  constructor(db: Database.Database, start: LedgerStart) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#claims = new Claims(this.#sql)
    this.#runs = new Runs(this.#sql)
    this.#groups = new Groups(this.#sql)
    this.#plans = new Plans(this.#sql)
    this.#sessions = new Sessions(this.#sql)
    this.#sums = new Sums(this.#sql)
    this.#sql.begin.run([])
    this.#release(start)
    const [counts] = this.#sql.openCounts.all() as [runs: number, groups: number, cursor: number][]
    const [runs, groups, cursor] = counts ?? [0, 0, 0]
    this.#groups.restore(groups)
    this.#runs.restore(runs, cursor, start.now)
    this.#claims.restore(start.now)
    this.#sql.commit.run([])
  }

  /** The number of groups plus the number of runs that are neither done nor dead. */
  get backlog(): number {
    return this.#runs.size + this.#groups.size
  }

  run(batch: StepBatch): BatchResult {
    this.#sql.begin.run([])
    const results: unknown[] = []
    for (const step of batch.steps) results.push(this.#step(step, batch.now))
    this.#claims.store()
    this.#claims.prune(batch.now)
    this.#sql.commit.run([])
    return { results, backlog: this.backlog }
  }

  close(): void {
    this.#db.close()
  }

  /**
   * Frees claims and runs that nobody holds. At the start of a process, these are all unsettled claims and all leased runs. Times that are
   * too far ahead are then brought down, too, because the wall clock may have been set back. After a fault in the same process, only the
   * claims and runs are freed that the failed batch may have taken.
   */
  #release({ now, doubtful, held = [] }: LedgerStart): void {
    if (doubtful === undefined) {
      for (const table of [this.#claims, this.#runs, this.#groups, this.#sessions, this.#sums]) table.takeOver(now)
    } else {
      this.#claims.release(doubtful)
      this.#runs.release(held, now)
    }
  }

  #step(step: LedgerStep, now: number): unknown {
    switch (step.op) {
      case 'accept':
        return this.#accept(step, now)
      case 'acceptInLane':
        return this.#acceptInLane(step, now)
      case 'join':
        return this.#join(step, now)
      case 'acceptAll':
        return this.#acceptAll(step, now)
      case 'claim':
        if (this.#claims.claim(step.key, step.holdMs, step.mark, now)) return 'claimed'
        return this.#claims.isUnsettled(step.key, now) ? 'unsettled' : 'duplicate'
      case 'held':
        return step.keys.map((key) => this.#claims.isHeld(key, now))
      case 'settle':
        return this.#claims.settle(step.key, step.holdMs, step.kept)
      case 'take':
        return step.onlyGroups ? this.#takeGroups(step, now) : this.#take(step, now)
      case 'renew':
        return (this.#sql.renew.all([step.fences, now + step.leaseMs]) as [number][]).map(([id]) => String(id))
      case 'makeDue':
        return void this.#sql.makeDue.run([step.fences, now])
      case 'keepReply':
        return this.#sql.keepReply.run([step.reply, step.runId, step.fence]).changes === 1
      case 'finish':
        return this.#runs.finish(step.runId, step.fence, step.end, now)
      case 'dueInMs':
        return this.#dueInMs(now)
      case 'totals':
        return this.#totals()
      case 'queues':
        return { groups: this.#groups.queued(step.max, now), lanes: this.#runs.queuedLanes(step.max) } satisfies Queues
      case 'revive':
        return isEventId(step.eventId) && this.#runs.revive(step.eventId, now)
      case 'cancel':
        return this.#cancel(step, now)
      case 'standings':
        return this.#standings(step, now)
      case 'erase':
        return this.#erase(step, now)
      case 'prune':
        this.#sums.prune(now)
        return this.#runs.prune(now - step.maxAgeMs, step.maxDead)
      case 'plans':
        return this.#plans.all()
      case 'plan':
        return this.#plans.note(step.times)
      case 'spend':
        return this.#sums.spend(step.key, step.leftMs, step.add, now)
      default:
        return this.#sessions.step(step, now)
    }
  }

  #erase(step: StepOf<'erase'>, now: number): ErasedPage {
    const isFirst = step.after === 0
    if (isFirst) for (const erase of [this.#sql.eraseSessions, this.#sql.eraseMessages]) erase.run([step.turns])
    const groups = isFirst ? this.#groups.erase(step.ids, step.groups) : []
    const page = this.#runs.erase(step, now)
    return { ...page, runs: [...groups, ...page.runs] }
  }

  #cancel({ eventId, after }: StepOf<'cancel'>, now: number): CancelledPage {
    if (!isEventId(eventId)) return { result: 'none', next: undefined }
    for (const group of after === 0 ? this.#groups.toCancel(eventId) : []) this.#endGroup(group, now)
    return this.#runs.cancel(eventId, after, now)
  }

  #totals(): LedgerTotals {
    const [counts] = this.#sql.otherTotals.all() as [parked: number, dead: number, sessions: number][]
    const [inLanes, dead, sessions] = counts ?? [0, 0, 0]
    return { runs: this.#runs.size, inLanes, groups: this.#groups.size, dead, sessions, oldestAt: this.#runs.oldestAt() }
  }

  #accept({ accepts }: StepOf<'accept'>, now: number): Accepted[] {
    const results: Accepted[] = []
    const runs: NewRun[] = []
    for (const { key, holdMs, run } of accepts) {
      const isClaimed = this.#claims.claimRun(key, holdMs, now)
      results.push(isClaimed ? 'accepted' : 'duplicate')
      if (isClaimed) runs.push(run)
    }
    this.#runs.addAll(runs)
    return results
  }

  #acceptAll({ steps }: StepOf<'acceptAll'>, now: number): WorkAnswer[] {
    const accepts = steps.filter((step) => step.op === 'acceptOne')
    return accepts.length === steps.length ? this.#accept({ op: 'accept', accepts }, now) : steps.map((each) => this.#acceptEach(each, now))
  }

  #acceptEach(step: AcceptStep, now: number): WorkAnswer {
    if (step.op === 'acceptOne') return this.#accept({ op: 'accept', accepts: [step] }, now)[0] as Accepted
    return step.op === 'join' ? this.#join(step, now) : this.#acceptInLane(step, now)
  }

  #acceptInLane({ key, holdMs, run, lane, isRanked }: StepOf<'acceptInLane'>, now: number): Accepted {
    if (lane.whenFull === 'refuse' && !this.#runs.hasRoom(lane.key, lane.limit, now)) {
      return this.#claims.isHeld(key, now) ? 'duplicate' : 'busy'
    }
    if (!this.#claims.claim(key, holdMs, 0, now)) return 'duplicate'
    if (isRanked) this.#runs.expectRanked()
    this.#runs.add(lane.key, lane.limit, now, (id, fence) => this.#sql.acceptInLane.run([id, fence, lane.key, lane.limit, run]))
    return 'accepted'
  }

  #join({ key, holdMs, joining, isRanked }: StepOf<'join'>, now: number): Joined {
    if (!this.#groups.hasRoom(joining.group)) return this.#claims.isHeld(key, now) ? 'duplicate' : 'full'
    if (!this.#claims.claim(key, holdMs, 0, now)) return 'duplicate'
    if (isRanked) this.#runs.expectRanked()
    return this.#groups.join(joining, now)
  }

  #take({ max, leaseMs }: StepOf<'take'>, now: number): Lease[] {
    for (const group of this.#groups.due(now, maxGroupsPerTake)) this.#endGroup(group, now)
    return this.#runs.take(max, now + leaseMs, now)
  }

  /** Turns groups into runs until `max` runs are taken, or no group is left. A run that must wait for its turn is made, but not taken. */
  #takeGroups({ max, leaseMs }: StepOf<'take'>, now: number): Lease[] {
    const leases: Lease[] = []
    while (leases.length < max) {
      const groups = this.#groups.due(Number.MAX_VALUE, max - leases.length)
      if (groups.length === 0) break
      for (const group of groups) {
        const runId = this.#endGroup(group, now)
        const lease = runId === undefined ? undefined : this.#runs.lease([runId, 0], now + leaseMs, now)
        if (lease !== undefined) leases.push(lease)
      }
    }
    return leases
  }

  /** Turns a group into a run. Returns the run's id when it may begin, `undefined` when it waits for its turn. */
  #endGroup([groupId, lane, limit]: DueGroup, now: number): number | undefined {
    return this.#runs.add(parseLane(lane), limit ?? 1, now, (id, fence) => this.#groups.end(groupId, id, fence))
  }

  #dueInMs(now: number): number | undefined {
    const due = [this.#runs.nextDue(now), this.#groups.nextDue()].filter((at) => at !== undefined)
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due) - now)
  }

  #standings({ eventIds, after }: StepOf<'standings'>, now: number): StandingsPage {
    const wanted = JSON.stringify(eventIds.filter(isEventId))
    return { ...this.#runs.standings(wanted, after, now), groups: after === 0 ? this.#groups.standings(wanted, now) : [] }
  }
}
