/**
 * The store in memory: it keeps the contract of stores, but loses everything when the process ends. It is for tests, and for operators who
 * choose it (rules: Durability 4). Its content is bounded.
 */

import { type Clock, pause } from '../../core/clock.ts'
import { StoreFault } from '../../core/fault.ts'
import type { DeliveryProgress, NewRun } from '../../core/new-run.ts'
import type { RunEnd } from '../../core/run-end.ts'
import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../../core/session.ts'
import { checkWorks, isEventId, isNumbers, maxQueues, maxStandings } from '../bounds.ts'
import type {
  Accepted,
  Cancelled,
  Claim,
  Claimed,
  GivenBack,
  Group,
  Handed,
  Joined,
  Lane,
  Lease,
  PendingWork,
  Queues,
  RunId,
  Spent,
  StoredStanding,
  StoreTotals,
  WorkAnswer,
} from '../ports.ts'
import type { Erased, Erasure, OpenStore } from '../store-part.ts'
import { Claims } from './claims.ts'
import { Positions } from './positions.ts'
import { Queue } from './queue.ts'
import { Sessions } from './sessions.ts'
import { Sums } from './sums.ts'

/** How long callers wait after a StoreFault. A full store has room again when a run or claim has ended. */
const pauseMs = 500

/** `unsettledMs`: how long a claim lasts that nobody settles. Without it, such a claim lasts for its whole time. */
export type MemoryOptions = { readonly clock: Clock; readonly maxClaims?: number; readonly unsettledMs?: number }

class MemoryStore implements OpenStore {
  readonly #clock: Clock
  readonly #claims: Claims
  readonly #queue = new Queue()
  readonly #positions = new Positions()
  readonly #sessions = new Sessions()
  readonly #sums = new Sums()
  #closed = false

  constructor({ clock, maxClaims = 1_000_000, unsettledMs = Number.POSITIVE_INFINITY }: MemoryOptions) {
    this.#clock = clock
    this.#claims = new Claims(maxClaims, unsettledMs)
  }

  async backlog(): Promise<number> {
    return this.#queue.size
  }

  async totals(): Promise<StoreTotals> {
    const oldestAt = this.#queue.runs.oldestAt()
    return {
      runs: this.#queue.runs.backlog,
      inLanes: this.#queue.runs.parked,
      groups: this.#queue.groups.size,
      dead: this.#queue.runs.dead,
      sessions: this.#sessions.size,
      ...(oldestAt === undefined ? {} : { oldestMs: this.#clock.now() - oldestAt }),
    }
  }

  async queues(max: number): Promise<Queues> {
    const most = Math.min(max, maxQueues)
    return { groups: this.#queue.groups.queued(most, this.#now()), lanes: this.#queue.runs.queuedLanes(most) }
  }

  hasRoom(max: number): boolean {
    return this.#queue.size < max
  }

  async accept(run: NewRun, claim: Claim, lane?: Lane): Promise<Accepted> {
    return this.#accept(run, claim, lane)
  }

  #accept(run: NewRun, claim: Claim, lane: Lane | undefined): Accepted {
    const now = this.#now()
    // The answer to a repeat does not depend on the lane, so a repeat changes no limit.
    const mayBeBusy = lane?.whenFull === 'refuse' && !this.#isRepeated(claim, now)
    if (mayBeBusy && !this.#queue.runs.hasRoom(lane, now) && !this.#claims.isHeld(claim.key, now)) return 'busy'
    const held = this.#hold(claim, now)
    if (held) return held
    this.#queue.runs.add(run, lane, now)
    return 'accepted'
  }

  async join(run: NewRun, claim: Claim, group: Group): Promise<Joined> {
    return this.#join(run, claim, group)
  }

  #join(run: NewRun, claim: Claim, group: Group): Joined {
    const now = this.#now()
    if (group.afterClaim) return this.#joinAfter(run, claim, group, now)
    if (!this.#queue.groups.hasRoom(group.key) && !this.#isKnown(claim, now)) return 'full'
    return this.#hold(claim, now) ?? this.#queue.join(run, group, now)
  }

  async acceptAll(works: readonly PendingWork[]): Promise<readonly WorkAnswer[]> {
    checkWorks(works)
    // The memory store cannot undo a part of the work. So where it may have no room for all of the work, it takes none.
    const claims = works.reduce((count, { claim }) => count + (claim.beside ? 2 : 1), 0)
    if (!this.#claims.hasRoom(claims, this.#queue.size + this.#queue.runs.dead, this.#now()))
      throw new StoreFault('the memory store is full')
    return works.map((work) => this.#take(work))
  }

  async claim(claim: Claim): Promise<Claimed> {
    const now = this.#now()
    const { key, beside } = claim
    if (!this.#claims.isHeld(key, now) && beside && this.#claims.isUnsettled(beside.key, now)) return 'unsettled'
    const held = this.#claims.holdBoth(claim, false, 0, now)
    return held === 'duplicate' && this.#claims.isUnsettled(key, now) ? 'unsettled' : (held ?? 'claimed')
  }

  async held(keys: readonly string[]): Promise<readonly boolean[]> {
    const now = this.#now()
    return keys.map((key) => this.#claims.isHeld(key, now))
  }

  async settle(claim: Claim, kept: boolean): Promise<void> {
    const now = this.#now()
    for (const each of claim.beside ? [claim, claim.beside] : [claim]) this.#claims.settle(each, kept, now)
  }

  async take(max: number, leaseMs: number, only?: 'groups'): Promise<readonly Lease[]> {
    const now = this.#now()
    return only === 'groups' ? this.#queue.takeGroups(max, now + leaseMs, now) : this.#queue.take(max, now + leaseMs, now)
  }

  async renew(leases: readonly Lease[], leaseMs: number): Promise<readonly RunId[]> {
    const until = this.#now() + leaseMs
    return leases.filter((lease) => this.#queue.runs.renew(lease, until)).map(({ runId }) => runId)
  }

  async makeDue(leases: readonly GivenBack[]): Promise<void> {
    for (const lease of leases) this.#queue.runs.makeDue(lease, this.#now())
  }

  async keepReply(lease: Lease, reply: string, progress?: DeliveryProgress): Promise<boolean> {
    this.#now()
    return this.#queue.runs.keepReply(lease, reply, progress)
  }

  async finish(lease: Lease, end: RunEnd): Promise<boolean> {
    return this.#queue.runs.finish(lease, end, this.#now())
  }

  async dueInMs(): Promise<number | undefined> {
    const now = this.#now()
    const at = this.#queue.nextDue(now)
    return at === undefined ? undefined : Math.max(0, at - now)
  }

  async revive(eventId: string): Promise<boolean> {
    return this.#queue.runs.revive(eventId, this.#now())
  }

  async cancel(eventId: string): Promise<Cancelled> {
    return this.#queue.cancel(eventId, this.#now())
  }

  async standings(eventIds: readonly string[]): Promise<readonly StoredStanding[]> {
    const now = this.#now()
    if (eventIds.length > maxStandings) throw new StoreFault(`asked for more than ${maxStandings} events at once`)
    return this.#queue.standings(new Set(eventIds.filter(isEventId)), now)
  }

  async erase({ ids, groups }: Erasure): Promise<Erased> {
    const [now, of] = [this.#now(), { ids: new Set(ids), groups: new Set(groups) }]
    this.#sessions.erase(of.ids)
    return this.#queue.erase(of, now)
  }

  async prune(maxAgeMs: number, maxDead: number): Promise<number> {
    const now = this.#now()
    this.#sums.prune(now)
    return this.#queue.runs.prune(now - maxAgeMs, maxDead)
  }

  async positions(): Promise<ReadonlyMap<string, number>> {
    this.#now()
    return this.#positions.all()
  }

  async keepPositions(positions: ReadonlyMap<string, number | undefined>): Promise<void> {
    this.#now()
    this.#positions.note(positions)
  }

  async converse(session: SessionName, turn: string, messages: readonly SessionMessage[]): Promise<boolean> {
    return this.#sessions.converse(session, turn, messages, this.#now())
  }

  async conversation(key: string, max: number): Promise<readonly SessionMessage[]> {
    this.#now()
    return this.#sessions.conversation(key, max)
  }

  async mirror(profile: string, chatAddress: ChatAddress, message: SessionMessage): Promise<'none' | 'several' | 'written'> {
    return this.#sessions.mirror(profile, chatAddress, message, this.#now())
  }

  async sessions(of: SessionFilter, max: number): Promise<readonly Session[]> {
    return this.#sessions.list(of, max, this.#now())
  }

  async session(key: string): Promise<Session | undefined> {
    return this.#sessions.session(key, this.#now())
  }

  async forgetSessions(maxIdleMs: number): Promise<number> {
    return this.#sessions.forget(this.#now() - maxIdleMs)
  }

  async spend(key: string, leftMs: number, add: Spent): Promise<Spent> {
    if (!isNumbers(leftMs, add.tokens, add.cost)) throw new StoreFault('a sum takes numbers only')
    return this.#sums.spend(key, leftMs, add, this.#now())
  }

  recovered(): Promise<void> {
    return pause(pauseMs, this.#clock)
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  /** Returns the monotonic time. Throws a StoreFault when the store is closed, so most methods call it, even where they need no time. */
  #now(): number {
    if (this.#closed) throw new StoreFault('the store is closed')
    return this.#clock.monotonic()
  }

  #hold(claim: Claim, now: number): 'duplicate' | 'repeated' | undefined {
    return this.#claims.holdBoth(claim, true, this.#queue.size + this.#queue.runs.dead, now)
  }

  /** Takes the work of an event, and ends the work that it says. */
  #take(work: PendingWork): WorkAnswer {
    const { ending, group } = work
    if (!ending) return this.#takeOnly(work)
    const end = this.#queue.workToEnd(ending)
    const taken = this.#takeOnly(work)
    if (typeof taken === 'string' && taken !== 'accepted') return taken
    return { taken, ...end(typeof taken === 'object' ? group?.key : undefined, this.#now()) }
  }

  #takeOnly({ run, claim, lane, group }: PendingWork): Handed {
    if (!run) return this.#hold(claim, this.#now()) ?? 'accepted'
    return group ? this.#join(run, claim, group) : this.#accept(run, claim, lane)
  }

  #joinAfter(run: NewRun, { beside, ...claim }: Claim, group: Group, now: number): Joined {
    const leftMs = beside ? this.#claims.leftMs(beside.key, now) : 0
    if (leftMs > 0 && !this.#queue.groups.hasRoom(group.key) && !this.#claims.isHeld(claim.key, now)) return 'full'
    const held = this.#hold(leftMs > 0 || !beside ? claim : { ...claim, beside }, now)
    if (held) return held
    if (leftMs > 0) return this.#queue.join(run, { ...group, windowMs: leftMs, maxWaitMs: beside?.holdMs ?? 0 }, now)
    this.#queue.runs.add(run, group.lane, now)
    return 'accepted'
  }

  /** Whether the claim beside that of an event's id is held. */
  #isRepeated({ beside }: Claim, now: number): boolean {
    return beside !== undefined && this.#claims.isHeld(beside.key, now)
  }

  /** Whether the id of an event, or the claim beside it, is held. */
  #isKnown(claim: Claim, now: number): boolean {
    return this.#claims.isHeld(claim.key, now) || this.#isRepeated(claim, now)
  }
}

/**
 * Opens a store for at most `maxClaims` claims, and for at most as many runs, dead runs and groups together. When it is full, `accept`,
 * `join` and `claim` reject with a StoreFault.
 */
export const openMemory = (options: MemoryOptions): OpenStore => new MemoryStore(options)
